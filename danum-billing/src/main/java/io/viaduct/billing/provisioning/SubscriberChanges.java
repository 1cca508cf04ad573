package io.viaduct.billing.provisioning;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hears which subscribers changed, by PostgreSQL's LISTEN: of every commit, of every billing
/// instance on the database. It has a connection of its own, beside the pool's.
public final class SubscriberChanges implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberChanges.class);
  private static final int WAIT_MS = 500;
  private static final int PROBE_WAITS = 20;
  private static final Duration RETRY = Duration.ofMillis(500);

  private final DataSource database;
  private final Listener listener;
  private final Thread thread;
  private volatile boolean closed;
  private volatile @Nullable Connection connection; // closed by close() to end the wait

  /// Hears of changes, on one thread.
  public interface Listener {
    void changed(String account);

    /// Changes may have been missed: everything has to be read again.
    void interrupted();
  }

  /// @param database gives a connection that is kept
  SubscriberChanges(DataSource database, Listener listener) {
    this.database = database;
    this.listener = listener;
    this.thread = Thread.ofPlatform().daemon().name("subscriber-changes").unstarted(this::run);
  }

  /// Starts to listen on a thread of its own.
  public static SubscriberChanges start(DataSource database, Listener listener) {
    SubscriberChanges changes = new SubscriberChanges(database, listener);
    changes.thread.start();
    return changes;
  }

  private void run() {
    while (!closed) {
      try (Connection opened = database.getConnection();
          Statement statement = opened.createStatement()) {
        connection = opened;
        statement.execute("listen subscriber");
        listener.interrupted(); // nothing was heard until now
        hear(opened.unwrap(PGConnection.class), statement);
      } catch (SQLException e) {
        if (!closed) {
          LOG.warn("changes of subscribers are not heard, trying again: {}", e.getMessage());
          listener.interrupted();
          LockSupport.parkNanos(RETRY.toNanos());
        }
      }
    }
  }

  private void hear(PGConnection from, Statement statement) throws SQLException {
    for (int waits = 1; !closed; waits++) {
      PGNotification[] heard = from.getNotifications(WAIT_MS);
      if (heard == null || heard.length == 0) {
        if (waits % PROBE_WAITS == 0) {
          statement.execute("select 1"); // a server that has gone is silent too
        }
        continue;
      }
      for (PGNotification each : heard) {
        listener.changed(each.getParameter());
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    Connection open = connection;
    try {
      if (open != null) {
        open.close();
      }
      thread.join(Duration.ofSeconds(2));
    } catch (SQLException e) {
      LOG.debug("connection of the listener", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
