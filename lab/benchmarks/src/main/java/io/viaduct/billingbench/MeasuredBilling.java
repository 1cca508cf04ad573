package io.viaduct.billingbench;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.billing.database.DatabaseAddress;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.setup.users.BillingClient;
import io.viaduct.testbed.pki.RunAuthority;
import io.viaduct.testbed.process.HttpProbe;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A danum-billing as in production: the packaged program in a process of its own, with its own
/// PostgreSQL, durable, on this machine. Its database stays for a later start on the same
/// directory.
final class MeasuredBilling implements AutoCloseable {
  private static final Duration START_MAX = Duration.ofMinutes(10); // recovery of a large database
  private static final Duration POLL = Duration.ofMillis(100);

  private final Process process;
  private final URI rest;
  private final ManagedChannel bridge;
  private final Path database;
  private final BillingClient client;

  private MeasuredBilling(
      Process process, URI rest, ManagedChannel bridge, Path database, BillingClient client) {
    this.process = process;
    this.rest = rest;
    this.bridge = bridge;
    this.database = database;
    this.client = client;
  }

  /// Starts it and waits until it serves.
  ///
  /// @param root of the clone with the programs
  /// @param directory its database and log
  static MeasuredBilling start(Path root, Path directory) throws Exception {
    Files.createDirectories(directory);
    Path run = Files.createTempDirectory(directory, "run-");
    RunAuthority authority = new RunAuthority(run, InstantSource.system());
    TlsSettings own = authority.issue("danum-billing", "127.0.0.1");
    TlsMaterial caller = TlsMaterial.load(authority.issue("ims-bridge", "127.0.0.1"));
    String password = "operator-" + run.getFileName();
    int[] ports = freePorts(3);
    Path database = directory.resolve("database");
    Path file =
        Files.writeString(
            run.resolve("danum-billing.yml"),
            """
            rest: {port: %d}
            grpc: {port: %d}
            operations: {port: %d}
            tls: {certificate: %s, private-key: %s, trust: %s}
            database: {data-directory: %s, binaries-directory: %s}
            operator: {password-file: %s}
            sip-domain: ims.test
            credentials: {key-file: %s}
            # Settlement is no part of the measured rate, and the bounds of an account do not bound a load.
            grace-time: 24h
            adjustment-time: 720h
            charge-bound: 1000000000
            verification-period: 24h
            ledger-verification-period: 168h
            logging: {level: warn}
            """
                .formatted(
                    ports[0],
                    ports[1],
                    ports[2],
                    own.certificate(),
                    own.privateKey(),
                    own.trust(),
                    database,
                    root.resolve("build/postgres"),
                    RunAuthority.secret(run.resolve("operator.password"), password),
                    directory.resolve("credential.key")));
    Process process =
        new ProcessBuilder(
                root.resolve("bin/danum-billing").toString(), "run", "--config", file.toString())
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(directory.resolve("billing.log").toFile()))
            .start();
    try {
      await(process, "http://127.0.0.1:" + ports[2] + "/readyz", directory);
      URI rest = URI.create("http://127.0.0.1:" + ports[0]);
      BillingClient client = new BillingClient(rest, System::nanoTime);
      client.logIn("operator", password);
      return new MeasuredBilling(process, rest, channel(ports[1], caller), database, client);
    } catch (Exception e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static ManagedChannel channel(int port, TlsMaterial caller) throws Exception {
    return NettyChannelBuilder.forAddress("127.0.0.1", port)
        .sslContext(GrpcSslContexts.configure(caller.clientBuilder(), SslProvider.JDK).build())
        .maxInboundMessageSize(16 << 20)
        .build();
  }

  private static int[] freePorts(int count) throws IOException {
    ServerSocket[] sockets = new ServerSocket[count];
    int[] ports = new int[count];
    for (int i = 0; i < count; i++) {
      sockets[i] = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      ports[i] = sockets[i].getLocalPort();
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return ports;
  }

  private static void await(Process process, String ready, Path directory) throws IOException {
    long endNs = System.nanoTime() + START_MAX.toNanos();
    while (HttpProbe.status(ready) != 200) {
      if (!process.isAlive() || System.nanoTime() - endNs > 0) {
        throw new IOException("billing does not serve: see " + directory.resolve("billing.log"));
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  ManagedChannel bridge() {
    return bridge;
  }

  URI rest() {
    return rest;
  }

  BillingClient client() {
    return client;
  }

  /// Returns the owner's role in the PostgreSQL of this billing.
  DatabaseAddress owner() throws IOException {
    return EmbeddedDatabase.running(database).orElseThrow();
  }

  Connection connect() throws IOException, SQLException {
    DatabaseAddress owner = owner();
    return DriverManager.getConnection(owner.url(), owner.user(), owner.password());
  }

  /// Opens accounts without log-in: a password costs 0.1 s of a core each.
  void openAccounts(int count) throws IOException, SQLException {
    try (Connection connection = connect();
        PreparedStatement accounts =
            connection.prepareStatement(
                "insert into account (id, display_name, role, password_hash, created_at)"
                    + " select 'bench-' || n, '', 'user', 'none', now() from generate_series(0, ? - 1) n"
                    + " on conflict do nothing");
        PreparedStatement ledger =
            connection.prepareStatement(
                "insert into ledger_account (name, kind, created_at)"
                    + " select 'USER:bench-' || n, 'USER', now() from generate_series(0, ? - 1) n"
                    + " on conflict do nothing")) {
      accounts.setInt(1, count);
      accounts.executeUpdate();
      ledger.setInt(1, count);
      ledger.executeUpdate();
    }
  }

  /// Returns the number of posted flow intervals.
  long flowIntervals() throws IOException, SQLException {
    try (Connection connection = connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery("select count(*) from charge")) {
      row.next();
      return row.getLong(1);
    }
  }

  /// Stops billing and its PostgreSQL, as SIGTERM does.
  @Override
  public void close() throws InterruptedException {
    bridge.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    process.destroy();
    process.waitFor();
  }
}
