package io.viaduct.billing.database;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Restarts a postmaster that died, e.g. killed by the out-of-memory killer. The first attempt is
/// immediate; the pauses between further attempts grow. Reports are deferred meanwhile, so none is
/// lost.
final class PostmasterWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostmasterWatch.class);
  private static final Duration POLL = Duration.ofMillis(250);
  private static final Duration PAUSE_FIRST = Duration.ofMillis(500);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(30);

  /// Starts the postmaster; returns when it accepts connections.
  @FunctionalInterface
  interface Restart {
    void run() throws IOException;
  }

  private final Path cluster;
  private final Restart restart;
  private final Counter restarts;
  private final Counter failures;
  private final Thread thread;

  PostmasterWatch(Path cluster, Restart restart, MeterRegistry registry) {
    this.cluster = cluster;
    this.restart = restart;
    restarts = counter(registry, "started");
    failures = counter(registry, "failed");
    thread = Thread.ofPlatform().name("postmaster-watch").daemon().start(this::watch);
  }

  private static Counter counter(MeterRegistry registry, String outcome) {
    return Counter.builder("viaduct_database_restarts")
        .description("Attempts to start the embedded PostgreSQL again after its death, by outcome")
        .tag("outcome", outcome)
        .register(registry);
  }

  private void watch() {
    Duration pause = PAUSE_FIRST;
    try {
      while (true) {
        Thread.sleep(POLL);
        if (OrphanedPostmaster.port(cluster).isPresent()) {
          pause = PAUSE_FIRST;
        } else if (!tryRestart(pause)) {
          Thread.sleep(pause);
          pause =
              pause.multipliedBy(2).compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause.multipliedBy(2);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    } catch (IOException e) {
      LOG.error("the embedded PostgreSQL is not watched any more", e);
    }
  }

  private boolean tryRestart(Duration pause) {
    LOG.warn("the embedded PostgreSQL has died: restarting it");
    try {
      restart.run();
      restarts.increment();
      LOG.info("the embedded PostgreSQL runs again");
      return true;
    } catch (IOException | RuntimeException e) {
      failures.increment();
      LOG.warn(
          "the embedded PostgreSQL does not start, next attempt in {} ms: {}",
          pause.toMillis(),
          e.toString());
      return false;
    }
  }

  /// Ends the watch. Does not wait for a running restart.
  @Override
  public void close() {
    thread.interrupt();
  }
}
