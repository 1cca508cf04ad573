package io.viaduct.billing.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Receives PostgreSQL's notifications: those of every commit, by any billing instance on the
/// database. It keeps its own connection, outside the pool.
public final class Notifications implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Notifications.class);
  private static final int WAIT_MS = 500;
  private static final int WAITS_PER_PROBE = 20;
  private static final Duration RETRY_PAUSE = Duration.ofMillis(500);

  private final DataSource database;
  private final Map<String, Listener> listeners;
  private final Thread thread;
  private volatile boolean isClosed;
  private volatile @Nullable Connection connection; // closed by close() to end the wait

  /// Receives the notifications of one channel, on the one thread of all channels: it must not
  /// block.
  public interface Listener {
    /// Returns the name of the channel. It is a constant, because it is not escaped.
    String channel();

    /// @param payload as the sender of the notification gave it
    void changed(String payload);

    /// Called if notifications may have been missed: the listener must read everything again.
    void interrupted();
  }

  private Notifications(DataSource database, List<Listener> listeners) {
    this.database = database;
    this.listeners =
        listeners.stream()
            .collect(Collectors.toUnmodifiableMap(Listener::channel, Function.identity()));
    this.thread = Thread.ofPlatform().daemon().name("notifications").unstarted(this::run);
  }

  /// Starts to listen, on a thread of its own.
  ///
  /// @param database source of the connection that is kept
  /// @param listeners one listener for each channel
  public static Notifications start(DataSource database, List<Listener> listeners) {
    Notifications notifications = new Notifications(database, listeners);
    notifications.thread.start();
    return notifications;
  }

  private void run() {
    while (!isClosed) {
      try (Connection opened = database.getConnection();
          Statement statement = opened.createStatement()) {
        connection = opened;
        for (String channel : listeners.keySet()) {
          statement.execute("listen " + channel);
        }
        interrupted(); // notifications before this LISTEN were missed
        forward(opened.unwrap(PGConnection.class), statement);
      } catch (SQLException e) {
        if (!isClosed) {
          LOG.warn(
              "cannot receive notifications of the database, trying again: {}", e.getMessage());
          interrupted();
          LockSupport.parkNanos(RETRY_PAUSE.toNanos());
        }
      }
    }
  }

  private void interrupted() {
    listeners.values().forEach(Listener::interrupted);
  }

  private void forward(PGConnection listening, Statement statement) throws SQLException {
    for (int waits = 1; !isClosed; waits++) {
      PGNotification[] received = listening.getNotifications(WAIT_MS);
      if (received == null || received.length == 0) {
        if (waits % WAITS_PER_PROBE == 0) {
          statement.execute("select 1"); // fails if the server has gone
        }
        continue;
      }
      for (PGNotification each : received) {
        Listener listener = listeners.get(each.getName());
        if (listener != null) {
          listener.changed(each.getParameter());
        }
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
