package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.scheduling.TimerLateness;
import org.jspecify.annotations.Nullable;

/// Counters of the data path beside those of [Carried]. The event loop writes them; any thread may
/// read a slightly old value.
public final class DataCounters {
  private final TunIntake intake;
  private final TunWriter writer;
  private final DevicePaths paths;
  private final FlowClasses classes;
  private final TimerLateness lateness;

  DataCounters(
      TunIntake intake,
      TunWriter writer,
      DevicePaths paths,
      FlowClasses classes,
      TimerLateness lateness) {
    this.intake = intake;
    this.writer = writer;
    this.paths = paths;
    this.classes = classes;
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

  /// Returns the number of packets that the device's kernel did not accept.
  public long notWritten() {
    return writer.notWritten();
  }

  /// Returns the number of bursts that were dropped because no network became available.
  public long droppedBursts() {
    return paths.sockets().droppedBursts();
  }

  /// Returns the number of times that the kernel had no route to the SNAPT.
  public long refusals() {
    return paths.sockets().refusals();
  }

  /// Returns the status of a path, at most a second old; null for a path that does not exist.
  public @Nullable PathStatus path(int id) {
    return paths.published(id);
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
