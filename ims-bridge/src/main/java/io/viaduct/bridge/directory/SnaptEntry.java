package io.viaduct.bridge.directory;

import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.usage.v1.SnaptStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One configured SNAPT and its last status.
///
/// @param configured its line of the configuration
/// @param status last status; absent before the first
/// @param seen time of that status
public record SnaptEntry(
    BridgeConfiguration.Snapt configured, @Nullable SnaptStatus status, @Nullable Instant seen) {
  /// The state of a SNAPT as operators see it.
  public enum State {
    UP,
    /// Silent for longer than `directory.stale-after`.
    STALE,
    /// Has sent no status since the bridge started.
    UNKNOWN
  }
}
