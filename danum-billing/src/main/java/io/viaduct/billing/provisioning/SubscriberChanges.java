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

/// Receives changes of subscribers through PostgreSQL's LISTEN: those of every commit, by any
/// billing instance on the database. It keeps its own connection, outside the pool.
public final class SubscriberChanges implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberChanges.class);
  private static final int WAIT_MS = 500;
  private static final int WAITS_PER_PROBE = 20;
  private static final Duration RETRY_PAUSE = Duration.ofMillis(500);

  private final DataSource database;
  private final Listener listener;
  private final Thread thread;
  private volatile boolean isClosed;
  private volatile @Nullable Connection connection; // closed by close() to end the wait

  /// Receives the changes on one thread.
  public interface Listener {
    void changed(String account);

    /// Called if changes may have been missed: the listener must read everything again.
    void interrupted();
  }

  /// Prepares the thread; [#start] starts it.
  ///
  /// @param database source of the connection that is kept
  SubscriberChanges(DataSource database, Listener listener) {
    this.database = database;
    this.listener = listener;
    this.thread = Thread.ofPlatform().daemon().name("subscriber-changes").unstarted(this::run);
  }

  /// Starts to listen, on a thread of its own.
  public static SubscriberChanges start(DataSource database, Listener listener) {
    SubscriberChanges changes = new SubscriberChanges(database, listener);
    changes.thread.start();
    return changes;
  }

  private void run() {
    while (!isClosed) {
      try (Connection opened = database.getConnection();
          Statement statement = opened.createStatement()) {
        connection = opened;
        statement.execute("listen subscriber");
        listener.interrupted(); // changes before this LISTEN were missed
        forwardNotifications(opened.unwrap(PGConnection.class), statement);
      } catch (SQLException e) {
        if (!isClosed) {
          LOG.warn("cannot receive changes of subscribers, trying again: {}", e.getMessage());
          listener.interrupted();
          LockSupport.parkNanos(RETRY_PAUSE.toNanos());
        }
      }
    }
  }

  private void forwardNotifications(PGConnection listening, Statement statement)
      throws SQLException {
    for (int waits = 1; !isClosed; waits++) {
      PGNotification[] notifications = listening.getNotifications(WAIT_MS);
      if (notifications == null || notifications.length == 0) {
        if (waits % WAITS_PER_PROBE == 0) {
          statement.execute("select 1"); // fails if the server has gone
        }
        continue;
      }
      for (PGNotification each : notifications) {
        listener.changed(each.getParameter());
      }
    }
  }

  @Override
  public void close() {
    isClosed = true;
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
