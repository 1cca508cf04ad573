package io.viaduct.snapt.metering;

/// The measurements of a session's path that the delay of its flows depends on.
///
/// @param roundTripUs round trip of the probes in µs, NaN if unknown
/// @param delayErrorUs bound on the error of each one-way delay in µs: half of the round trip by
///   which the clocks were compared; NaN if unknown
public record MeasuredPath(double roundTripUs, double delayErrorUs) {
  /// The path of a session that has not been probed yet.
  public static final MeasuredPath UNKNOWN = new MeasuredPath(Double.NaN, Double.NaN);
}
