package io.viaduct.tunnel.wire;

import org.jspecify.annotations.Nullable;

/// Reads a [PathMessage.Probe] where it lies. A responder gets very many, and no object is made for
/// them. Normative: docs/protocol.md "PATH".
///
///     |0    |1      |5     |13     |21   |25    |26    |27     |
///     |kind |number |t1    |offset |rtt  |path  |used  |spare  |  the last three with several paths
///     |28         |
///     |measurement|  with the feature MEASUREMENTS
public final class ProbeBody {
  static final int KIND = 0;
  private static final int NUMBER = Byte.BYTES;
  private static final int T1 = NUMBER + Integer.BYTES;
  private static final int OFFSET = T1 + Long.BYTES;
  private static final int ROUND_TRIP = OFFSET + Long.BYTES;
  private static final int PATH = ROUND_TRIP + Integer.BYTES;
  private static final int USED = PATH + Byte.BYTES;
  private static final int SPARE = USED + Byte.BYTES;
  private static final int LENGTH_OF_ONE_PATH = PATH;
  private static final int LENGTH_OF_SEVERAL = SPARE + Byte.BYTES;
  private static final int LENGTH_WITH_MEASUREMENT = LENGTH_OF_SEVERAL + PathMeasurement.BYTES;

  private byte[] bytes = {};
  private int at;
  private int length;

  /// Looks at a message. @return false if it is no probe of this version
  public boolean wrap(byte[] message, int start, int messageLength) {
    bytes = message;
    at = start;
    length = messageLength;
    boolean isWhole = length == LENGTH_OF_ONE_PATH || length == LENGTH_OF_SEVERAL || isSharing();
    return isWhole && bytes[at] == KIND;
  }

  public int number() {
    return BigEndian.getInt(bytes, at + NUMBER);
  }

  public long t1Us() {
    return BigEndian.getLong(bytes, at + T1);
  }

  public long offsetUs() {
    return BigEndian.getLong(bytes, at + OFFSET);
  }

  public int roundTripUs() {
    return BigEndian.getInt(bytes, at + ROUND_TRIP);
  }

  public int path() {
    return namesPath() ? bytes[at + PATH] & 0xFF : PathMessage.NO_PATH;
  }

  public int used() {
    return namesPath() ? bytes[at + USED] & 0xFF : 0;
  }

  public int spare() {
    return namesPath() ? bytes[at + SPARE] & 0xFF : 0;
  }

  private boolean namesPath() {
    return length >= LENGTH_OF_SEVERAL;
  }

  /// Returns whether the prober shares what it has measured.
  public boolean isSharing() {
    return length == LENGTH_WITH_MEASUREMENT;
  }

  /// Returns what the prober has measured, null if it does not share that.
  public @Nullable PathMeasurement shared() {
    return isSharing() ? PathMeasurement.read(bytes, at + LENGTH_OF_SEVERAL) : null;
  }

  PathMessage.Probe message() {
    return new PathMessage.Probe(
        number(), t1Us(), offsetUs(), roundTripUs(), path(), used(), spare(), shared());
  }
}
