package io.viaduct.billingbench;

import io.viaduct.billing.database.DatabaseAddress;
import io.viaduct.testbed.pki.RunAuthority;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/// CGRateS in a process of its own, with an empty database in the PostgreSQL of billing, a tariff
/// of prices per KiB, and accounts that pay later. Tariff and balances are in its memory
/// (`*internal`), so it has no second database to wait for.
///
/// Source: configuration, tariff files and methods of cgrates.readthedocs.io.
final class CgratesPeer implements AutoCloseable {
  private static final String DATABASE = "cgrates";
  private static final Duration START_MAX = Duration.ofMinutes(1);

  private final Process process;
  private final int port;

  private CgratesPeer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /// Starts it.
  ///
  /// @param owner role of billing in the PostgreSQL that both use
  /// @param directory of configuration, tariff and log
  static CgratesPeer start(
      CgratesInstallation installed, DatabaseAddress owner, Path directory, int accounts)
      throws IOException, SQLException {
    Path run = Files.createTempDirectory(Files.createDirectories(directory), "cgrates-");
    makeDatabase(installed, owner);
    int[] ports = BillingProcess.freePorts(7);
    configure(Files.createDirectory(run.resolve("configuration")), ports, owner);
    Process process =
        new ProcessBuilder(
                installed.engine().toString(),
                "-config_path",
                run.resolve("configuration").toString(),
                "-set_versions") // its tables are new
            .redirectErrorStream(true)
            .redirectOutput(run.resolve("cgrates.log").toFile())
            .start();
    CgratesPeer peer = new CgratesPeer(process, ports[0]);
    try (JsonRpc rpc = peer.await(run)) {
      rpc.call(
          "APIerSv1.LoadTariffPlanFromFolder",
          Map.of("FolderPath", tariff(Files.createDirectory(run.resolve("tariff"))).toString()));
      for (int i = 0; i < accounts; i++) {
        rpc.call(
            "APIerSv1.SetAccount",
            Map.of("Tenant", "cgrates.org", "Account", GeneratedReports.account(i)));
      }
      return peer;
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static void makeDatabase(CgratesInstallation installed, DatabaseAddress owner)
      throws IOException, SQLException {
    try (Connection connection =
            DriverManager.getConnection(owner.url(), "postgres", owner.password());
        Statement statement = connection.createStatement()) {
      statement.execute("drop database if exists " + DATABASE);
      statement.execute("create database %s owner %s".formatted(DATABASE, owner.user()));
    }
    String url = owner.url().substring(0, owner.url().lastIndexOf('/') + 1) + DATABASE;
    try (Connection connection = DriverManager.getConnection(url, owner.user(), owner.password());
        Statement statement = connection.createStatement()) {
      statement.execute(installed.statements());
    }
  }

  private static void configure(Path directory, int[] ports, DatabaseAddress owner)
      throws IOException {
    RunAuthority.secret(
        directory.resolve("cgrates.json"),
        """
        {
          "general": {"logger": "*stdout", "log_level": 3, "reply_timeout": "60s"},
          "listen": {"rpc_json": "127.0.0.1:%d", "rpc_gob": "127.0.0.1:%d", "http": "127.0.0.1:%d",
            "rpc_json_tls": "127.0.0.1:%d", "rpc_gob_tls": "127.0.0.1:%d", "http_tls": "127.0.0.1:%d",
            "birpc_json": "127.0.0.1:%d"},
        """
                .formatted(Arrays.stream(ports).boxed().toArray())
            + """
              "data_db": {"db_type": "*internal", "opts": {"internalDBDumpPath": "%1$s", "internalDBBackupPath": "%1$s"}},
              "stor_db": {"db_type": "*postgres", "db_host": "127.0.0.1", "db_port": %2$d, "db_name": "%3$s",
                "db_user": "%4$s", "db_password": "%5$s", "opts": {"sqlMaxIdleConns": 100}},
              "rals": {"enabled": true},
              "schedulers": {"enabled": true},
              "cdrs": {"enabled": true, "rals_conns": ["*internal"]},
              "apiers": {"enabled": true, "scheduler_conns": ["*internal"]}
            }
            """
                .formatted(
                    directory,
                    URI.create(owner.url().substring("jdbc:".length())).getPort(),
                    DATABASE,
                    owner.user(),
                    owner.password()));
  }

  private static Path tariff(Path directory) throws IOException {
    StringBuilder rates = new StringBuilder();
    StringBuilder destinationRates = new StringBuilder();
    StringBuilder plans = new StringBuilder();
    StringBuilder profiles = new StringBuilder();
    int price = 0;
    for (String application : GeneratedReports.applications()) {
      price++;
      rates.append("RT_%1$s,0,0.000%2$d,1024,1024,0\n".formatted(application, price));
      destinationRates.append("DR_%1$s,*any,RT_%1$s,*up,6,0,\n".formatted(application));
      plans.append("RP_%1$s,DR_%1$s,*any,10\n".formatted(application));
      profiles.append(
          "cgrates.org,%1$s,*any,2014-01-14T00:00:00Z,RP_%1$s,\n".formatted(application));
    }
    Files.writeString(directory.resolve("Rates.csv"), rates);
    Files.writeString(directory.resolve("DestinationRates.csv"), destinationRates);
    Files.writeString(directory.resolve("RatingPlans.csv"), plans);
    Files.writeString(directory.resolve("RatingProfiles.csv"), profiles);
    return directory;
  }

  private JsonRpc await(Path run) throws IOException {
    long endNs = System.nanoTime() + START_MAX.toNanos();
    while (true) {
      try {
        return ping();
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() - endNs > 0) {
          throw new IOException("CGRateS does not serve: see " + run.resolve("cgrates.log"), e);
        }
        LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
      }
    }
  }

  private JsonRpc ping() throws IOException {
    JsonRpc rpc = connect();
    try {
      rpc.call("CDRsV1.Ping", Map.of());
      return rpc;
    } catch (IOException e) {
      rpc.close();
      throw e;
    }
  }

  JsonRpc connect() throws IOException {
    return new JsonRpc(port);
  }

  /// Stops it as SIGTERM does.
  @Override
  public void close() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }
}
