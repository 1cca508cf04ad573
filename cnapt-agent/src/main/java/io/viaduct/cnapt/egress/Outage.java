package io.viaduct.cnapt.egress;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets chosen traffic out while the tunnel carries nothing for longer than a set time. Owner: its
/// own thread; any thread may call [#carries]. It is created only if traffic is chosen; otherwise
/// all traffic waits for the tunnel.
public final class Outage implements AutoCloseable {
  /// Opens and closes the direct way.
  public interface Gate {
    /// Lets the chosen traffic out.
    ///
    /// @throws IOException if the kernel refuses
    void open() throws IOException;

    /// Leads all traffic into the tunnel again.
    ///
    /// @throws IOException if the kernel refuses
    void shut() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(Outage.class);

  private final Gate gate;
  private final Duration after;
  private final ScheduledThreadPoolExecutor worker;
  private @Nullable Future<?> opening;
  private boolean isOpen;

  /// Creates the guard of a tunnel that carries nothing yet.
  public Outage(Gate gate, Duration after) {
    this.gate = gate;
    this.after = after;
    worker =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("outage").daemon().factory());
    worker.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    carries(false);
  }

  /// Records whether the tunnel carries traffic now.
  public void carries(boolean now) {
    worker.execute(() -> {
      if (now) {
        carried();
      } else if (opening == null && !isOpen) {
        opening = worker.schedule(this::open, after.toMillis(), TimeUnit.MILLISECONDS);
      }
    });
  }

  private void carried() {
    Future<?> pending = opening;
    if (pending != null) {
      pending.cancel(false);
      opening = null;
    }
    if (isOpen) {
      shut();
    }
  }

  private void open() {
    opening = null;
    try {
      isOpen = true; // also if only some rules could be set
      gate.open();
      LOG.warn(
          "the tunnel has carried nothing for {} s: the applications of outage.direct leave"
              + " outside the tunnel",
          after.toSeconds());
    } catch (IOException e) {
      LOG.error("the applications of outage.direct cannot be let out: {}", e.toString());
      shut();
    }
  }

  private void shut() {
    try {
      gate.shut();
      isOpen = false;
      LOG.info("no traffic leaves outside the tunnel any more");
    } catch (IOException e) {
      LOG.error("traffic still leaves outside the tunnel, because {}", e.toString());
    }
  }

  /// Shuts the direct way, and ends.
  @Override
  public void close() {
    // Shut by this thread after the last task, so that no task can open the way again.
    worker.shutdown();
    try {
      if (!worker.awaitTermination(5, TimeUnit.SECONDS)) {
        LOG.error("traffic may still leave outside the tunnel: its rules are still being changed");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    carried();
  }
}
