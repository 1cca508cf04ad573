package io.viaduct.webgui.bridge;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// One relay as the bridge last heard of it.
///
/// @param reportsRefused its reports that the bridge refused since its start, by reason
/// @param duplicatesRefused processes with this id that the bridge refused since its start, because
///   another one held the id
/// @param duplicateFrom address of the last of them
/// @param state `up`, `stale` (silent for too long) or `unknown` (never heard of)
public record Snapt(
    String id,
    @Nullable String host,
    int controlPort,
    int dataPort,
    @Nullable String region,
    @Nullable String owner,
    @Nullable String epoch,
    long sessions,
    long sessionsLimit,
    double upBitPerSecond,
    double downBitPerSecond,
    long reportsPending,
    @Nullable String version,
    long datagramsRefused,
    @Nullable Map<String, Long> reportsRefused,
    long duplicatesRefused,
    @Nullable String duplicateFrom,
    @Nullable Instant seenAt,
    @Nullable String state) {
  public Snapt {
    Objects.requireNonNull(id);
    reportsRefused = reportsRefused == null ? Map.of() : new TreeMap<>(reportsRefused);
  }

  /// The state, `unknown` if the bridge says something that we do not know.
  public String knownState() {
    return state != null && Set.of("up", "stale").contains(state) ? state : "unknown";
  }
}
