package io.viaduct.bridge;

import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.Counter;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.bridge.directory.PeerIdentity;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.service.operations.Listening;
import io.viaduct.service.tls.CountingTrust;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.FailedHandshakeLog;
import io.viaduct.service.tls.WatchedListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// The gRPC listener for SNAPTs: mutual TLS 1.3, configured names only.
final class SnaptsServer implements AutoCloseable {
  private static final int MESSAGE_BYTES_MAX = 1 << 20;
  private static final int CALLS_PER_CONNECTION = 8;

  private final Server server;
  private final WatchedListener listener;

  private SnaptsServer(Server server, WatchedListener listener) {
    this.server = server;
    this.listener = listener;
  }

  /// @param strangers counts callers without a certificate, or whose certificate is not trusted or
  ///   names no configured SNAPT
  /// @param failedHandshakes counts connections that ended before the TLS 1.3 handshake was
  ///   complete
  static SnaptsServer start(
      BridgeConfiguration.Endpoint endpoint,
      ExchangeableTls tls,
      SnaptDirectory directory,
      SnaptsService service,
      Counter strangers,
      Counter failedHandshakes,
      InstantSource clock)
      throws IOException {
    // A client without a certificate passes the handshake, because only then it can be counted and
    // gets a reason. PeerIdentity refuses all its calls.
    SslContext context =
        tls.context(files ->
            GrpcSslContexts.configure(files.serverBuilder(ClientAuth.OPTIONAL), SslProvider.JDK)
                .trustManager(new CountingTrust(files.trustManagers(), strangers::increment))
                .build());
    PeerIdentity identity =
        new PeerIdentity(name -> directory.configured(name).isPresent(), strangers::increment);
    WatchedListener listener =
        new WatchedListener("snapts", new FailedHandshakeLog("gRPC for SNAPTs", clock));
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(endpoint.host(), endpoint.port()))
            .channelFactory(listener::channel)
            .bossEventLoopGroup(listener.acceptor())
            .workerEventLoopGroup(listener.workers())
            .sslContext(context)
            .executor(
                Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("snapts-", 0).factory()))
            .maxInboundMessageSize(MESSAGE_BYTES_MAX)
            .addTransportFilter(new FailedHandshakes(failedHandshakes::increment))
            .addStreamTracerFactory(new OversizedMessages(service::onOversized))
            .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
            // Ends the streams of a SNAPT that vanished without closing its connection.
            .keepAliveTime(20, TimeUnit.SECONDS)
            .keepAliveTimeout(10, TimeUnit.SECONDS)
            .permitKeepAliveTime(5, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .addService(ServerInterceptors.intercept(service, identity))
            .build();
    try {
      return new SnaptsServer(
          Listening.on(
              "grpc.host", "grpc.port", "TCP", endpoint.host(), endpoint.port(), server::start),
          listener);
    } catch (IOException e) {
      listener.close();
      throw e;
    }
  }

  int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    server.shutdown();
    try {
      if (!server.awaitTermination(2, TimeUnit.SECONDS)) {
        server.shutdownNow();
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
    listener.close();
  }
}
