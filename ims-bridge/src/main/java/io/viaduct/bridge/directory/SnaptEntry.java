package io.viaduct.bridge.directory;

import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.usage.v1.SnaptStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One enrolled SNAPT and its last status.
///
/// @param enrolled what billing, or the configuration, says about it
/// @param status last status; absent before the first
/// @param seen time of that status
/// @param away its stream has ended after that status, and it has not come back in time
/// @param toldLoad load that devices are told, in percent: it follows the status in steps
public record SnaptEntry(
    EnrolledSnapt enrolled,
    @Nullable SnaptStatus status,
    @Nullable Instant seen,
    boolean away,
    int toldLoad) {
  /// Least difference, in percent points, for which all devices of the fleet are told. It is the
  /// step in which SNAPTs below 70 % tell their load, and half of the difference that moves a
  /// device (ADR 0050).
  static final int LOAD_STEP = 10;

  /// Devices prefer any other SNAPT to one that is loaded above this percentage (ADR 0050).
  static final int FULL_ABOVE = 80;

  static SnaptEntry unheard(EnrolledSnapt enrolled) {
    return new SnaptEntry(enrolled, null, null, false, 0);
  }

  SnaptEntry with(EnrolledSnapt changed) {
    return new SnaptEntry(changed, status, seen, away, toldLoad);
  }

  /// Returns the entry after another status.
  SnaptEntry heard(SnaptStatus next, Instant now) {
    int load = isLoadNews(next) ? next.getLoadPercent() : toldLoad;
    return new SnaptEntry(enrolled, next, now, false, load);
  }

  // That a SNAPT is full is told at once, and taken back by a whole step: a load that wobbles
  // around any value is told once.
  private boolean isLoadNews(SnaptStatus next) {
    int load = next.getLoadPercent();
    return status == null
        || Math.abs(load - toldLoad) >= LOAD_STEP
        || (load > FULL_ABOVE && toldLoad <= FULL_ABOVE);
  }

  SnaptEntry gone() {
    return new SnaptEntry(enrolled, status, seen, true, toldLoad);
  }

  /// Returns id, key, owner, region and line rate.
  public Snapt configured() {
    return enrolled.snapt();
  }

  /// Returns the region: billing's, or the one that the SNAPT announces if billing has none.
  public String region() {
    return configured().region().isEmpty() && status != null
        ? status.getRegion()
        : configured().region();
  }

  boolean hasAddressOf(SnaptStatus other) {
    return status != null
        && status.getHost().equalsIgnoreCase(other.getHost())
        && status.getControlPort() == other.getControlPort();
  }

  /// Returns whether devices are told of another status what they were told of this one.
  boolean isToldLike(SnaptStatus other) {
    return status != null
        && status.getHost().equals(other.getHost())
        && status.getControlPort() == other.getControlPort()
        && status.getDataPort() == other.getDataPort()
        && status.getRegion().equals(other.getRegion())
        && status.getStateValue() == other.getStateValue()
        && status.getDrainDeadlineMs() == other.getDrainDeadlineMs()
        && !isLoadNews(other);
  }

  /// The state of a SNAPT as operators see it.
  public enum State {
    UP,
    /// Silent for longer than `directory.stale-after`, or its stream has ended.
    STALE,
    /// Has sent no status since the bridge started.
    UNKNOWN
  }
}
