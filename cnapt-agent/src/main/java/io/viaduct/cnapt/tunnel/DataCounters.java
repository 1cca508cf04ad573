package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.scheduling.TimerLateness;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Counters of the data path beside those of [Carried]. The event loop writes them; any thread may
/// read a slightly old value.
public final class DataCounters {
  private final TunIntake intake;
  private final TunWriter writer;
  private final TunnelEnds ends;
  private final FlowClasses classes;
  private final HostRefusals refusals;
  private final TimerLateness lateness;

  DataCounters(
      TunIntake intake,
      TunWriter writer,
      TunnelEnds ends,
      FlowClasses classes,
      HostRefusals refusals,
      TimerLateness lateness) {
    this.intake = intake;
    this.writer = writer;
    this.ends = ends;
    this.classes = classes;
    this.refusals = refusals;
    this.lateness = lateness;
  }

  /// Returns the timer lateness of the loop, in seconds.
  public double timerLateness() {
    return lateness.boundSeconds();
  }

  /// Returns the number of times that the TUN was not read because a class's queue was full.
  public long pauses() {
    return intake.pauses();
  }

  /// Returns the number of packets that were not carried, because this host does not have their
  /// source address in the tunnel.
  public long foreign() {
    return intake.foreign();
  }

  /// Returns the number of packets that the device's kernel did not accept.
  public long notWritten() {
    return writer.notWritten();
  }

  /// Returns the number of bursts that were dropped because no network became available.
  public long droppedBursts() {
    return ends.all().stream().mapToLong(each -> each.pathTotals().droppedBursts()).sum();
  }

  /// Returns the number of times that the kernel had no route to the SNAPT.
  public long refusals() {
    return ends.all().stream().mapToLong(each -> each.pathTotals().refusals()).sum();
  }

  /// Returns the status of a path to a SNAPT, at most a second old; null for a path that does not
  /// exist.
  ///
  /// @param snapt place of the SNAPT among those in use, from 0
  public @Nullable PathStatus path(int snapt, int id) {
    List<TunnelEnd> all = ends.all();
    return snapt < all.size() ? all.get(snapt).paths().published(id) : null;
  }

  /// Returns the number of pairs of a link and an address that are no path, because the session may
  /// have no more.
  public int refusedPairs() {
    return ends.first().paths().refusedPairs();
  }

  /// Returns how often the watchdog of a listening peer has found that the probes of a path have
  /// stopped.
  public long watchdogs() {
    return ends.first().paths().watchdogs();
  }

  /// Returns the number of datagrams that came from a known address of the other end at another
  /// address of a listening peer than before, and were not opened.
  public long misled() {
    return ends.first().paths().misled();
  }

  /// Returns the number of flows that got their SNAPT for a reason, while there are several.
  public long placed(Placement reason) {
    return ends.placed(reason);
  }

  /// Returns the number of flows that this device has refused for a reason.
  public long refused(FlowRefusal reason) {
    return refusals.of(reason);
  }

  /// Returns how often a SNAPT has become silent while a path to it was alive.
  public long silences() {
    return ends.all().stream().mapToLong(each -> each.pathTotals().silences()).sum();
  }

  /// Returns the number of flows that got a class.
  public long classified() {
    return classes.classified();
  }

  /// Returns the number of flows that got another class because of their process.
  public long reclassified() {
    return classes.reclassified();
  }
}
