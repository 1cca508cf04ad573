package io.viaduct.billing;

import com.zaxxer.hikari.HikariDataSource;
import io.viaduct.billing.database.DatabaseAccess;
import io.viaduct.billing.database.DatabaseAddress;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.billing.database.Migrations;
import io.viaduct.billing.tariff.SeedTariff;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/// One embedded PostgreSQL for all tests of this JVM. Tests use different names, so that they do
/// not affect each other. Its first tariff is the seed's.
public final class SharedDatabase {
  /// Directory of PostgreSQL's programs, which are unpacked once for all test runs.
  public static final Path BINARIES = Path.of("target", "postgresql").toAbsolutePath();

  /// Key file that all billing instances on this database use to seal SIP credentials.
  public static final Path CREDENTIAL_KEY = home().resolve("credential.key");

  private static final EmbeddedDatabase DATABASE = start();
  private static final HikariDataSource POOL = Migrations.open(DATABASE.access(), 20);

  // The first tariff of a database stays its version 1, so it must not depend on which test is
  // first. It is the document of an installation from before documents had versions. What the
  // shipped tariff costs is in tests with a version of their own.
  static {
    client()
        .sql(
            "insert into tariff (version, effective_from, document, created_by, created_at)"
                + " values (1, 'epoch', ?::json, 'installation', now())")
        .param(SeedTariff.document())
        .update();
  }

  private SharedDatabase() {}

  private static Path home() {
    try {
      return Files.createTempDirectory("billing-test-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static EmbeddedDatabase start() {
    try {
      Path home = CREDENTIAL_KEY.getParent();
      EmbeddedDatabase database =
          EmbeddedDatabase.start(home, BINARIES, EmbeddedDatabase.Durability.FAST);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(() -> {
                POOL.close();
                database.close();
                delete(home);
              }));
      return database;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void delete(Path tree) {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Runs statements in one transaction of the role that owns the tables. It can change the schema
  /// and switch triggers off, which billing's role cannot.
  public static void asOwner(Consumer<JdbcTemplate> statements) {
    asOwner((jdbc, _) -> statements.accept(jdbc));
  }

  /// As [#asOwner(Consumer)], with the transaction, to roll it back.
  public static void asOwner(BiConsumer<JdbcTemplate, TransactionStatus> statements) {
    DatabaseAddress owner = DATABASE.access().owner();
    DriverManagerDataSource source =
        new DriverManagerDataSource(owner.url(), owner.user(), owner.password());
    new TransactionTemplate(new JdbcTransactionManager(source))
        .executeWithoutResult(status -> statements.accept(new JdbcTemplate(source), status));
  }

  /// Makes an empty database of the same PostgreSQL, for tests that change all of it.
  public static DatabaseAccess separate(String name) {
    DatabaseAccess shared = DATABASE.access();
    DatabaseAddress owner = shared.owner();
    new JdbcTemplate(new DriverManagerDataSource(owner.url(), "postgres", owner.password()))
        .execute("create database %s owner %s".formatted(name, owner.user()));
    return new DatabaseAccess(named(shared.application(), name), named(owner, name));
  }

  private static DatabaseAddress named(DatabaseAddress address, String database) {
    String url = address.url().substring(0, address.url().lastIndexOf('/') + 1) + database;
    return new DatabaseAddress(url, address.user(), address.password());
  }

  public static EmbeddedDatabase database() {
    return DATABASE;
  }

  public static JdbcTemplate jdbc() {
    return new JdbcTemplate(POOL);
  }

  public static JdbcClient client() {
    return JdbcClient.create(POOL);
  }

  public static JdbcTransactionManager transactions() {
    return new JdbcTransactionManager(POOL);
  }

  public static TransactionTemplate transaction() {
    return new TransactionTemplate(transactions());
  }
}
