package io.viaduct.cnapt.control;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.viaduct.tunnel.control.v1.Relay;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The lists of all SNAPTs. Where the bridge has granted SNAPTs, a list only says which of these
/// drain. One list per second is taken: the newest. Owner: the control loop.
final class RelayLists {
  /// Shortest time between two lists that are taken.
  static final long PERIOD_NS = 1_000_000_000L;

  private final EventLoop loop;
  private final Consumer<List<Snapt>> taken;
  private final AtomicLong ignored = new AtomicLong();
  private List<Snapt> granted = List.of();
  private @Nullable List<Relay> waiting;
  private @Nullable ScheduledFuture<?> timer;
  private long takenNs;

  /// @param taken called with the SNAPTs that take new sessions; never with an empty list
  RelayLists(EventLoop loop, Consumer<List<Snapt>> taken) {
    this.loop = loop;
    this.taken = taken;
    this.takenNs = loop.ticker().nanoTime() - PERIOD_NS;
  }

  /// Sets the SNAPTs that the bridge has granted.
  ///
  /// @param snapts not empty
  void granted(List<Snapt> snapts) {
    granted = List.copyOf(snapts);
  }

  /// Returns whether the bridge has granted SNAPTs.
  boolean areGranted() {
    return !granted.isEmpty();
  }

  /// Takes a list that has all SNAPTs, now or when a second has passed since the last one.
  void take(List<Relay> listed) {
    if (waiting != null) {
      ignored.incrementAndGet();
    }
    waiting = listed;
    if (timer == null) {
      long dueNs = takenNs + PERIOD_NS - loop.ticker().nanoTime();
      if (dueNs <= 0) {
        due();
      } else {
        timer = loop.schedule(this::due, dueNs, TimeUnit.NANOSECONDS);
      }
    }
  }

  private void due() {
    List<Relay> listed = waiting;
    timer = null;
    waiting = null;
    if (listed == null) {
      return;
    }
    takenNs = loop.ticker().nanoTime();
    List<Snapt> snapts = granted.isEmpty() ? serving(listed) : ofGranted(listed);
    if (!snapts.isEmpty()) { // an empty list has no information, so the present one stays
      taken.accept(snapts);
    }
  }

  // A SNAPT that drains would refuse a new session. A state of a later version is one that serves.
  private static List<Snapt> serving(List<Relay> listed) {
    return listed.stream()
        .filter(each -> each.getState() != Relay.State.DRAINING)
        .flatMap(
            each -> Snapt.listed(each.getSnaptId(), each.getHost(), each.getControlPort()).stream())
        .toList();
  }

  private List<Snapt> ofGranted(List<Relay> listed) {
    List<Snapt> left = new ArrayList<>(granted);
    for (Relay each : listed) {
      List<Snapt> named =
          granted.stream()
              .filter(known ->
                  known.host().equals(each.getHost())
                      && known.controlPort() == each.getControlPort())
              .toList();
      if (named.isEmpty()) {
        ignored.incrementAndGet();
      } else if (each.getState() == Relay.State.DRAINING) {
        left.removeAll(named);
      }
    }
    return left;
  }

  /// Returns the number of lists that a newer one has replaced, and of SNAPTs that the bridge has
  /// not granted; any thread may call this.
  long ignored() {
    return ignored.get();
  }

  /// Takes no list any more.
  void close() {
    ScheduledFuture<?> armed = timer;
    if (armed != null) {
      armed.cancel(false);
    }
    waiting = null;
  }
}
