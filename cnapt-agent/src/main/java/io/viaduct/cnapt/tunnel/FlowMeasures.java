package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.flow.FlowState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Delay and loss of a flow, as programs of this host hear of them.
///
/// @param delayMs mean one-way delay of its packets from the SNAPT since the last statistics; null
///   if none is known
/// @param roundTripMs round trip of the path that its last packet has taken; null before the first
///   measurement
/// @param lossPercent share of this host's bytes that this path has lost in about the last second;
///   null if the path has gone
/// @param downLossPercent the same of the SNAPT's bytes
record FlowMeasures(
    @Nullable Double delayMs,
    @Nullable Double roundTripMs,
    @Nullable Double lossPercent,
    @Nullable Double downLossPercent) {
  /// @param delayMs may be a little below 0, by the error of the clock offset
  /// @param paths those of the flow's session
  static FlowMeasures of(FlowState flow, @Nullable Double delayMs, List<PathStatus> paths) {
    Double delay = delayMs == null ? null : rounded(Math.max(0, delayMs));
    for (PathStatus each : paths) {
      if (each.id() == flow.path()) {
        Double roundTripMs = each.delayMs();
        return new FlowMeasures(
            delay,
            roundTripMs == null ? null : rounded(roundTripMs),
            each.lossPercent(),
            each.downLossPercent());
      }
    }
    return new FlowMeasures(delay, null, null, null);
  }

  private static double rounded(double ms) {
    return Math.round(ms * 10) / 10.0;
  }
}
