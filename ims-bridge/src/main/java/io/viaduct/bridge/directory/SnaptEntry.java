package io.viaduct.bridge.directory;

import io.viaduct.bridge.BridgeConfiguration;
import io.viaduct.usage.v1.SnaptStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One SNAPT as the bridge knows it.
///
/// @param configured its line of the configuration
/// @param status as last announced, absent before the first
/// @param seen when that was
public record SnaptEntry(
    BridgeConfiguration.Snapt configured, @Nullable SnaptStatus status, @Nullable Instant seen) {
  /// Judgement of an operator's dashboard.
  public enum State {
    UP,
    /// Silent for longer than allowed.
    STALE,
    /// Never heard of since the bridge started.
    UNKNOWN
  }
}
