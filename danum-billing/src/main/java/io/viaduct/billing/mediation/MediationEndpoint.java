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
import io.viaduct.service.tls.TlsMaterial;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// The gRPC server in front of [MediationService] and of provisioning: mutual TLS 1.3, one virtual
/// thread per call.
public final class MediationEndpoint implements AutoCloseable {
  /// A full request of the largest reports is refused before this; a usual one has some 100 KiB.
  private static final int MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

  private static final int CALLS_OF_CONNECTION_MAX = 64;
  private static final Duration HANDSHAKE_MAX = Duration.ofSeconds(10);

  /// A bridge that is told of the users says nothing itself: this finds out that it has gone.
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final Server server;
  private final ExecutorService executor;

  private MediationEndpoint(Server server, ExecutorService executor) {
    this.server = server;
    this.executor = executor;
  }

  /// Starts to listen.
  ///
  /// @param peers common names that may call
  /// @param services all of them behind the same check of the peer
  /// @throws IOException if the address cannot be had
  public static MediationEndpoint start(
      InetSocketAddress address,
      TlsMaterial tls,
      List<String> peers,
      List<BindableService> services,
      MeterRegistry registry)
      throws IOException {
    PeerCheck check = new PeerCheck(peers, registry);
    ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
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
      return new MediationEndpoint(server.start(), executor);
    } catch (IOException e) {
      executor.close();
      throw new IOException("mediation cannot listen on %s: %s".formatted(address, e), e);
    }
  }

  // A client without a certificate is let through the handshake, because only then can it be told
  // why it is refused; PeerCheck refuses its every call.
  private static SslContext context(TlsMaterial tls, PeerCheck check) throws IOException {
    return GrpcSslContexts.configure(tls.serverBuilder(ClientAuth.OPTIONAL), SslProvider.JDK)
        .trustManager(
            new CountingTrust(
                tls.trustManagers(), () -> check.count(PeerCheck.Refusal.UNTRUSTED_CERTIFICATE)))
        .build();
  }

  /// The port that it listens on.
  public int port() {
    return server.getPort();
  }

  /// Lets calls under way end with their commit.
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
  }
}
