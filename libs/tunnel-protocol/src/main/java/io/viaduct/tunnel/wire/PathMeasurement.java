package io.viaduct.tunnel.wire;

/// The measurements of a prober on one path, as its PROBE shares them with the other end (feature
/// MEASUREMENTS). Shares of loss are in parts of 10,000.
///
/// @param usualRoundTripUs round trip of about the last minute, in µs
/// @param fromProber share of the prober's bytes that was lost in about the last second
/// @param toProber the same of the other end's bytes
/// @param usualFromProber share of the prober's bytes that was lost in about the last ten seconds
/// @param usualToProber the same of the other end's bytes
/// @param sentKbitPerSecond rate at which the prober's outer IP packets left by the path in about
///   the last second, unsigned
public record PathMeasurement(
    int usualRoundTripUs,
    int fromProber,
    int toProber,
    int usualFromProber,
    int usualToProber,
    int sentKbitPerSecond) {
  static final int BYTES = 16;

  /// Parts of a share.
  public static final int PARTS = 10_000;

  /// Returns a share of loss in parts of [#PARTS].
  public static int parts(double ratio) {
    return (int) Math.round(Math.clamp(ratio, 0, 1) * PARTS);
  }

  /// Returns a share of loss, at most 1.
  public static double ratio(int parts) {
    return Math.min(1, (double) parts / PARTS);
  }

  int write(byte[] to, int at) {
    BigEndian.putInt(to, at, usualRoundTripUs);
    BigEndian.putShort(to, at + 4, fromProber);
    BigEndian.putShort(to, at + 6, toProber);
    BigEndian.putShort(to, at + 8, usualFromProber);
    BigEndian.putShort(to, at + 10, usualToProber);
    BigEndian.putInt(to, at + 12, sentKbitPerSecond);
    return at + BYTES;
  }

  static PathMeasurement read(byte[] from, int at) {
    return new PathMeasurement(
        BigEndian.getInt(from, at),
        BigEndian.getShort(from, at + 4),
        BigEndian.getShort(from, at + 6),
        BigEndian.getShort(from, at + 8),
        BigEndian.getShort(from, at + 10),
        BigEndian.getInt(from, at + 12));
  }
}
