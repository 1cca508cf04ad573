package io.viaduct.snapt.control;

import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.snapt.binding.SessionRegistry;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets this SNAPT drain and serve again, and ends what is left at the deadline. Owner of the
/// state: the control thread.
public final class Drain {
  private static final Logger LOG = LoggerFactory.getLogger(Drain.class);

  private final ControlThread thread;
  private final SessionRegistry registry;
  private final RelayLists relays;
  private final InstantSource clock;
  private volatile DrainStatus status = DrainStatus.SERVING; // written by the control thread
  private volatile Mover mover = all -> all; // written before the start

  /// Hands the sessions over that are left at the deadline of a drain. Called on the control
  /// thread.
  public interface Mover {
    /// Called when a drain begins.
    default void prepare() {}

    /// Goes on.
    ///
    /// @return those of the sessions that end, because they cannot be handed over
    List<Session> move(List<Session> all);
  }

  Drain(ControlThread thread, SessionRegistry registry, RelayLists relays, InstantSource clock) {
    this.thread = thread;
    this.registry = registry;
    this.relays = relays;
    this.clock = clock;
  }

  /// Sets what hands sessions over; before the start.
  public void movedBy(Mover moving) {
    mover = moving;
  }

  /// Begins: open sessions are served, new ones refused, and the devices are told at once. Blocks
  /// until then; must not be called on the control thread.
  ///
  /// @param deadlineMs Unix time at which the sessions end that are left; 0 for never
  /// @throws IllegalStateException if this SNAPT is stopping, or its control thread is busy
  public void begin(long deadlineMs) {
    thread.await(() -> set(new DrainStatus(true, deadlineMs)));
  }

  /// Serves new sessions again. Blocks and throws as [#begin].
  public void end() {
    thread.await(() -> set(DrainStatus.SERVING));
  }

  /// Returns whether this SNAPT drains; any thread may call this.
  public DrainStatus status() {
    return status;
  }

  private void set(DrainStatus now) {
    status = now;
    if (now.draining()) {
      mover.prepare();
    }
    registry.drain(now.draining());
    relays.onDrain(now, clock.millis());
  }

  void onTick(long nowMs) {
    if (!status.isOver(nowMs)) {
      return;
    }
    List<Session> ending = mover.move(List.copyOf(registry.sessions()));
    if (!ending.isEmpty()) {
      LOG.info("the deadline of the drain is over: {} sessions end", ending.size());
      ending.forEach(each -> registry.end(each, SessionEnd.DRAINED));
    }
  }
}
