package io.viaduct.bridge.snapts;

import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.bridge.cluster.BridgesService;
import io.viaduct.bridge.configuration.BridgeConfiguration.Endpoint;
import io.viaduct.bridge.directory.PeerIdentity;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.service.operations.Listening;
import io.viaduct.service.tls.CountingTrust;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.FailedHandshakeLog;
import io.viaduct.service.tls.WatchedListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.springframework.context.SmartLifecycle;

/// The gRPC listener for SNAPTs and for the other bridges: mutual TLS 1.3, configured names only,
/// except for SNAPTs that join. It is the last entrance that closes.
public final class SnaptsServer implements SmartLifecycle {
  private static final int MESSAGE_BYTES_MAX = 1 << 20;
  private static final int CALLS_PER_CONNECTION = 8;
  private static final int PHASE = 1;

  private final Endpoint endpoint;
  private final WatchedListener listener;
  private final Server server;
  private volatile boolean running;

  SnaptsServer(
      Endpoint endpoint,
      ExchangeableTls tls,
      SnaptDirectory directory,
      SnaptsService service,
      JoiningService joining,
      BridgesService bridges,
      MeterRegistry registry,
      InstantSource clock) {
    this.endpoint = endpoint;
    Counter strangers =
        Counter.builder("viaduct_bridge_grpc_strangers")
            .description("Callers whose certificate is missing, not trusted or of no SNAPT")
            .register(registry);
    Counter failedHandshakes =
        Counter.builder("viaduct_bridge_grpc_handshakes_failed")
            .description("Connections that ended before TLS 1.3 stood")
            .register(registry);
    // A client without a certificate passes the handshake, because only then it can be counted and
    // gets a reason. PeerIdentity refuses all its calls.
    SslContext context =
        tls.context(files ->
            GrpcSslContexts.configure(files.serverBuilder(ClientAuth.OPTIONAL), SslProvider.JDK)
                .trustManager(new CountingTrust(files.trustManagers(), strangers::increment))
                .build());
    PeerIdentity identity =
        new PeerIdentity(
            name -> directory.configured(name).isPresent(),
            directory::isUnenrolled,
            directory::mayShow,
            strangers::increment);
    listener = new WatchedListener("snapts", new FailedHandshakeLog("gRPC for SNAPTs", clock));
    server =
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
            .addService(joining.service())
            .addService(bridges.service(strangers::increment))
            .build();
  }

  @Override
  public void start() {
    try {
      var unused =
          Listening.on(
              "grpc.host", "grpc.port", "TCP", endpoint.host(), endpoint.port(), server::start);
      running = true;
    } catch (IOException e) {
      listener.close();
      throw new UncheckedIOException(e);
    }
  }

  /// Returns the port that the server listens on.
  public int port() {
    return server.getPort();
  }

  @Override
  public void stop() {
    running = false;
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

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
