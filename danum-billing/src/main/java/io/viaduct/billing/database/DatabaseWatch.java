package io.viaduct.billing.database;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.Readiness;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks the database again and again on a connection of its own whether it answers. A database that
/// is frozen, or behind a cut network, closes no connection, so all other statements wait for it up
/// to a minute and do not tell. One thread asks at a time.
final class DatabaseWatch implements AutoCloseable {
  /// Time between an answer and the next question.
  static final Duration PERIOD = Duration.ofSeconds(2);

  /// Longest wait for an answer. A busy database takes less.
  static final int PATIENCE_SECONDS = 5;

  private static final Logger LOG = LoggerFactory.getLogger(DatabaseWatch.class);
  private static final String PART = "database";

  private final DataSource database;
  private final Readiness readiness;
  private volatile @Nullable Connection connection; // written by the asking thread and close()
  private volatile boolean answers = true;

  /// @param database source of the connection that is kept, with timeouts of its own
  DatabaseWatch(DataSource database, Readiness readiness, MeterRegistry registry) {
    this.database = database;
    this.readiness = readiness;
    Gauge.builder("viaduct_database_reachable", this, watch -> watch.answers ? 1 : 0)
        .description("1 while the database answers, else 0")
        .register(registry);
  }

  /// Asks once. Only a change is told, because others find out about a database that refuses
  /// statements.
  void ask() {
    boolean isAnswering = isAnswering();
    if (isAnswering == answers) {
      return;
    }
    answers = isAnswering;
    if (isAnswering) {
      LOG.info("the database answers again");
      readiness.cleared(PART);
    } else {
      LOG.error("the database does not answer: reports are deferred, and SNAPTs keep them");
      readiness.obstructed(PART, "it does not answer, reports are deferred");
    }
  }

  private boolean isAnswering() {
    try {
      Connection open = connection;
      if (open == null) {
        open = database.getConnection();
        connection = open;
      }
      if (open.isValid(PATIENCE_SECONDS)) {
        return true;
      }
    } catch (SQLException e) {
      LOG.debug("no connection for the watch: {}", e.toString());
    }
    close();
    return false;
  }

  @Override
  public void close() {
    Connection open = connection;
    connection = null;
    try {
      if (open != null) {
        open.close();
      }
    } catch (SQLException e) {
      LOG.debug("the connection of the watch has ended before: {}", e.toString());
    }
  }
}
