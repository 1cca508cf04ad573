package io.viaduct.billing.mediation;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.tls.CountingTrust;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.FailedHandshakeLog;
import io.viaduct.service.tls.WatchedListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// The gRPC server for [MediationService], provisioning and credit control: mutual TLS 1.3, one
/// virtual thread per call.
public final class MediationEndpoint implements AutoCloseable {
  /// Largest message. It refuses a full request of the largest reports; a usual request has some
  /// 100 KiB.
  private static final int MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

  /// Most calls of one bridge at the same time: each of its SNAPTs has a stream for credit.
  private static final int CALLS_OF_CONNECTION_MAX = 1024;

  private static final Duration HANDSHAKE_MAX = Duration.ofSeconds(10);

  /// Keep-alive interval. A bridge that watches subscribers sends nothing itself, so only this
  /// detects that it has gone.
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final Server server;
  private final ExecutorService executor;
  private final WatchedListener listener;

  private MediationEndpoint(Server server, WatchedListener listener, ExecutorService executor) {
    this.server = server;
    this.listener = listener;
    this.executor = executor;
  }

  /// Starts to listen.
  ///
  /// @param peers common names of the certificates that may call
  /// @param services services behind the same check of the peer
  /// @throws IOException if the address is not available
  public static MediationEndpoint start(
      InetSocketAddress address,
      ExchangeableTls tls,
      List<String> peers,
      List<BindableService> services,
      MeterRegistry registry)
      throws IOException {
    PeerCheck check = new PeerCheck(peers, registry);
    WatchedListener listener =
        new WatchedListener(
            "mediation", new FailedHandshakeLog("gRPC for the bridge", InstantSource.system()));
    ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .channelFactory(listener::channel)
            .bossEventLoopGroup(listener.acceptor())
            .workerEventLoopGroup(listener.workers())
            .sslContext(context(tls, check))
            .executor(executor)
            .handshakeTimeout(HANDSHAKE_MAX.toMillis(), TimeUnit.MILLISECONDS)
            .maxInboundMessageSize(MESSAGE_BYTES_MAX)
            .maxConcurrentCallsPerConnection(CALLS_OF_CONNECTION_MAX)
            .permitKeepAliveTime(10, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .keepAliveTime(KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS)
            .intercept(check);
    services.forEach(builder::addService);
    Server server = builder.build();
    try {
      return new MediationEndpoint(server.start(), listener, executor);
    } catch (IOException e) {
      executor.close();
      listener.close();
      throw new IOException("mediation cannot listen on %s: %s".formatted(address, e), e);
    }
  }

  // The handshake accepts a client without a certificate, because only after it the server can
  // state the reason of the refusal. PeerCheck refuses every call of such a client.
  private static SslContext context(ExchangeableTls tls, PeerCheck check) {
    return tls.context(files ->
        GrpcSslContexts.configure(files.serverBuilder(ClientAuth.OPTIONAL), SslProvider.JDK)
            .trustManager(
                new CountingTrust(
                    files.trustManagers(),
                    () -> check.count(PeerCheck.Refusal.UNTRUSTED_CERTIFICATE)))
            .build());
  }

  /// Returns the port that the server listens on.
  public int port() {
    return server.getPort();
  }

  /// Waits until running calls have committed.
  @Override
  public void close() {
    try {
      server.shutdown();
      if (!server.awaitTermination(DRAIN.toMillis(), TimeUnit.MILLISECONDS)) {
        server.shutdownNow();
        server.awaitTermination(1, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
    executor.shutdown();
    listener.close();
  }
}
