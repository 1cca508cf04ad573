package io.viaduct.snapt.metering;

import org.jspecify.annotations.Nullable;

/// The measurements of a session's path that the report of its flows depends on.
///
/// @param roundTripUs round trip of the probes in µs, NaN if unknown
/// @param ownRoundTripUs round trip in µs that the SNAPT has measured itself, so that the device
///   cannot claim longer delays; 0 if the device has answered nothing, NaN if it was not asked
/// @param delayErrorUs bound on the error of each one-way delay in µs: half of the round trip by
///   which the clocks were compared; NaN if unknown
/// @param down the direction to the device, measured here
/// @param up the direction from the device: the SNAPT measures what arrives, the device tells for
///   how long its flows have waited. Null if the device does not tell.
public record MeasuredPath(
    double roundTripUs,
    double ownRoundTripUs,
    double delayErrorUs,
    DirectionOffer down,
    @Nullable DirectionOffer up) {
  /// The path of a session that has not been probed yet.
  public static final MeasuredPath UNKNOWN =
      new MeasuredPath(Double.NaN, Double.NaN, Double.NaN, DirectionOffer.NONE, null);
}
