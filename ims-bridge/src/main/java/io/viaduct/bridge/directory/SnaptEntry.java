package io.viaduct.bridge.directory;

import io.viaduct.bridge.configuration.BridgeConfiguration.Snapt;
import io.viaduct.usage.v1.SnaptStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One enrolled SNAPT and its last status.
///
/// @param enrolled what billing, or the configuration, says about it
/// @param status last status; absent before the first
/// @param seen time of that status
/// @param away its stream has ended after that status, and it has not come back in time
public record SnaptEntry(
    EnrolledSnapt enrolled, @Nullable SnaptStatus status, @Nullable Instant seen, boolean away) {
  static SnaptEntry unheard(EnrolledSnapt enrolled) {
    return new SnaptEntry(enrolled, null, null, false);
  }

  SnaptEntry with(EnrolledSnapt changed) {
    return new SnaptEntry(changed, status, seen, away);
  }

  SnaptEntry gone() {
    return new SnaptEntry(enrolled, status, seen, true);
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
        && status.getLoadPercent() == other.getLoadPercent();
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
