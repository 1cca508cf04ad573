package io.viaduct.webgui.bridge;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
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
/// @param drain `draining` or `serving`; null if it is not known
/// @param drainDeadlineAt when its sessions end; null without a deadline
/// @param surcharges of its owner now, micro-denarii per gigabyte by class, in the order LT&LD,
///   HT&LD, LT&HD, HT&HD; empty if nothing is asked
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
    @Nullable String state,
    @Nullable String drain,
    @Nullable Instant drainDeadlineAt,
    long loadPercent,
    @Nullable List<Long> surcharges) {
  private static final double MICRODENARII_PER_DENARIUS = 1e6;
  private static final List<String> CLASSES = List.of("LT_LD", "HT_LD", "LT_HD", "HT_HD");

  public Snapt {
    Objects.requireNonNull(id);
    surcharges = surcharges == null ? List.of() : List.copyOf(surcharges);
    reportsRefused = reportsRefused == null ? Map.of() : new TreeMap<>(reportsRefused);
  }

  /// Returns whether it drains.
  public boolean isDraining() {
    return "draining".equals(drain);
  }

  /// The surcharges above 0, denarii per gigabyte by class.
  public SequencedMap<String, Double> prices() {
    SequencedMap<String, Double> prices = new LinkedHashMap<>();
    for (int i = 0; i < CLASSES.size() && surcharges != null && i < surcharges.size(); i++) {
      if (surcharges.get(i) > 0) {
        prices.put(CLASSES.get(i), surcharges.get(i) / MICRODENARII_PER_DENARIUS);
      }
    }
    return prices;
  }

  /// The state, `unknown` if the bridge says something that we do not know.
  public String knownState() {
    return state != null && Set.of("up", "stale").contains(state) ? state : "unknown";
  }
}
