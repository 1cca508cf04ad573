package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowState;
import java.util.function.ToLongFunction;

/// The measurements of a session's path that the report of its flows depends on.
///
/// @param roundTripUs round trip of the probes in µs, NaN if unknown
/// @param delayErrorUs bound on the error of each one-way delay in µs: half of the round trip by
///   which the clocks were compared; NaN if unknown
/// @param spareBytes bytes that the path towards the device could have carried beside its load,
///   cumulative
/// @param waitedNs returns the time for which a flow has had packets towards the device that waited
///   for the path, in ns, cumulative
public record MeasuredPath(
    double roundTripUs,
    double delayErrorUs,
    double spareBytes,
    ToLongFunction<FlowState> waitedNs) {
  /// The path of a session that has not been probed yet.
  public static final MeasuredPath UNKNOWN = new MeasuredPath(Double.NaN, Double.NaN, 0, _ -> 0);
}
