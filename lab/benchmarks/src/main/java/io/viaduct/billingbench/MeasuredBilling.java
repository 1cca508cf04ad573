package io.viaduct.billingbench;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.setup.users.BillingClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// A danum-billing as in production: the packaged program in a process of its own, with its own
/// PostgreSQL, durable, on this machine. Its database stays for a later start on the same
/// directory.
final class MeasuredBilling implements AutoCloseable {
  private final BillingProcess process;
  private final ManagedChannel bridge;
  private final Path data;
  private final BillingClient client;

  private MeasuredBilling(
      BillingProcess process, ManagedChannel bridge, Path data, BillingClient client) {
    this.process = process;
    this.bridge = bridge;
    this.data = data;
    this.client = client;
  }

  /// Starts it and waits until it serves.
  ///
  /// @param root of the clone with the programs
  /// @param directory its database and log
  static MeasuredBilling start(Path root, Path directory, BillingProcess.Times times)
      throws Exception {
    BillingFiles files = BillingFiles.make(root, directory);
    Path data = directory.resolve("database");
    BillingProcess process =
        BillingProcess.start(
            files,
            "danum-billing",
            times,
            "database: {data-directory: %s, binaries-directory: %s}"
                .formatted(data, files.postgres()));
    try {
      BillingClient client = new BillingClient(process.rest(), System::nanoTime);
      client.logIn("operator", files.password());
      TlsMaterial caller = TlsMaterial.load(files.caller());
      return new MeasuredBilling(process, channel(process.grpcPort(), caller), data, client);
    } catch (Exception e) {
      process.close();
      throw e;
    }
  }

  private static ManagedChannel channel(int port, TlsMaterial caller) throws Exception {
    return NettyChannelBuilder.forAddress("127.0.0.1", port)
        .sslContext(GrpcSslContexts.configure(caller.clientBuilder(), SslProvider.JDK).build())
        .maxInboundMessageSize(16 << 20)
        .build();
  }

  ManagedChannel bridge() {
    return bridge;
  }

  BillingClient client() {
    return client;
  }

  BillingDatabase database() throws IOException {
    return new BillingDatabase(EmbeddedDatabase.running(data).orElseThrow());
  }

  /// Stops billing and its PostgreSQL, as SIGTERM does.
  @Override
  public void close() throws InterruptedException {
    bridge.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    process.close();
  }
}
