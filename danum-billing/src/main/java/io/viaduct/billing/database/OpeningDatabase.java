package io.viaduct.billing.database;

import com.zaxxer.hikari.HikariDataSource;
import io.viaduct.billing.configuration.DatabaseSettings;
import io.viaduct.service.configuration.Secret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// Opens the database on a thread of its own, so that PostgreSQL and the HTTP interface start at
/// the same time.
public final class OpeningDatabase implements AutoCloseable {
  /// Longer than PostgreSQL needs for its recovery after a crash.
  private static final long WAIT_MINUTES_MAX = 10;

  private final DatabaseSettings settings;
  private final CompletableFuture<List<FirstRows>> firstRows = new CompletableFuture<>();
  private final CompletableFuture<HikariDataSource> connections = new CompletableFuture<>();
  private volatile @Nullable DataSource owner; // likewise
  private volatile @Nullable EmbeddedDatabase embedded; // written by the thread that opens it

  private OpeningDatabase(DatabaseSettings settings) {
    this.settings = settings;
  }

  /// Begins to open the database. It is open when [#store] was called too.
  public static OpeningDatabase begin(DatabaseSettings settings) {
    OpeningDatabase database = new OpeningDatabase(settings);
    Thread.ofPlatform().name("database-start").start(database::open);
    return database;
  }

  /// Sets the rows that are stored before the first connection is given out: without the first
  /// operator, the right password would be refused.
  void store(List<FirstRows> rows) {
    firstRows.complete(rows);
  }

  private void open() {
    try {
      DatabaseAccess access = access();
      HikariDataSource pool = Migrations.open(access, settings.connections());
      owner = Migrations.owner(access);
      try {
        firstRows.join().forEach(rows -> rows.store(pool));
      } catch (RuntimeException e) {
        pool.close();
        throw e;
      }
      connections.complete(pool);
    } catch (IOException | RuntimeException e) {
      connections.completeExceptionally(e);
    }
  }

  private DatabaseAccess access() throws IOException {
    if (!isEmbedded(settings)) {
      return external(settings);
    }
    EmbeddedDatabase started =
        EmbeddedDatabase.start(
            Path.of(settings.dataDirectory()),
            settings.binaries(),
            EmbeddedDatabase.Durability.DURABLE);
    embedded = started;
    return started.access();
  }

  /// Returns true if billing starts a PostgreSQL of its own.
  public static boolean isEmbedded(DatabaseSettings settings) {
    return settings.url().isEmpty();
  }

  /// Returns the roles in the PostgreSQL that the configuration names by its URL.
  public static DatabaseAccess external(DatabaseSettings settings) {
    DatabaseAddress application = address(settings.url(), settings.user(), settings.passwordFile());
    return settings.ownerUser().isEmpty()
        ? DatabaseAccess.oneRole(application)
        : new DatabaseAccess(
            application,
            address(settings.url(), settings.ownerUser(), settings.ownerPasswordFile()));
  }

  private static DatabaseAddress address(String url, String user, String passwordFile) {
    return new DatabaseAddress(
        url, user, passwordFile.isEmpty() ? "" : Secret.of(passwordFile).reveal());
  }

  /// Returns the pool of connections, which may not be open yet.
  CompletableFuture<HikariDataSource> connections() {
    return connections;
  }

  /// Waits until the database is open.
  ///
  /// @throws IOException if it cannot be opened
  public HikariDataSource await() throws IOException {
    try {
      return connections.get(WAIT_MINUTES_MAX, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      Throwable why = e.getCause() == null ? e : e.getCause();
      throw new IOException("the database did not start: " + why.getMessage(), why);
    } catch (TimeoutException e) {
      throw new IOException("the database did not start in " + WAIT_MINUTES_MAX + " minutes", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("stopped while starting", e);
    }
  }

  /// Returns single connections of the role that owns the tables. Waits until the database is open.
  ///
  /// @throws IOException if it cannot be opened
  public DataSource owner() throws IOException {
    var unused = await();
    return Objects.requireNonNull(owner);
  }

  /// Returns the embedded PostgreSQL; empty if billing uses another one.
  Optional<EmbeddedDatabase> embedded() {
    return Optional.ofNullable(embedded);
  }

  /// Closes the connections, then stops the embedded PostgreSQL. Waits until it has started or
  /// failed: only then it can be stopped.
  @Override
  public void close() {
    store(List.of()); // if the start failed early, none were set
    HikariDataSource pool = connections.exceptionally(_ -> null).join();
    if (pool != null) {
      pool.close();
    }
    embedded().ifPresent(EmbeddedDatabase::close);
  }
}
