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
import io.viaduct.service.tls.CountingTrust;
import io.viaduct.service.tls.TlsMaterial;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// The gRPC listener for SNAPTs: mutual TLS 1.3, known names only.
final class SnaptsServer implements AutoCloseable {
  private static final int MESSAGE_BYTES_MAX = 1 << 20;
  private static final int CALLS_PER_CONNECTION = 8;

  private final Server server;

  private SnaptsServer(Server server) {
    this.server = server;
  }

  /// @param strangers counts callers without a certificate, or whose certificate is not trusted or
  ///   names no configured SNAPT
  /// @param failedHandshakes counts connections that ended before mutual TLS 1.3 stood
  static SnaptsServer start(
      BridgeConfiguration.Endpoint endpoint,
      TlsMaterial tls,
      SnaptDirectory directory,
      SnaptsService service,
      Counter strangers,
      Counter failedHandshakes)
      throws IOException {
    // A client without a certificate passes the handshake, because only then can it be told why it
    // is refused, and counted; PeerIdentity refuses its every call.
    SslContext context =
        GrpcSslContexts.configure(tls.serverBuilder(ClientAuth.OPTIONAL), SslProvider.JDK)
            .trustManager(new CountingTrust(tls.trustManagers(), strangers::increment))
            .build();
    PeerIdentity identity =
        new PeerIdentity(name -> directory.configured(name).isPresent(), strangers::increment);
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(endpoint.host(), endpoint.port()))
            .sslContext(context)
            .executor(
                Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("snapts-", 0).factory()))
            .maxInboundMessageSize(MESSAGE_BYTES_MAX)
            .addTransportFilter(new FailedHandshakes(failedHandshakes::increment))
            .addStreamTracerFactory(new OversizedMessages(service::onOversized))
            .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
            // A SNAPT that vanished without a word is noticed and its streams are freed.
            .keepAliveTime(20, TimeUnit.SECONDS)
            .keepAliveTimeout(10, TimeUnit.SECONDS)
            .permitKeepAliveTime(5, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .addService(ServerInterceptors.intercept(service, identity))
            .build();
    return new SnaptsServer(server.start());
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
  }
}
