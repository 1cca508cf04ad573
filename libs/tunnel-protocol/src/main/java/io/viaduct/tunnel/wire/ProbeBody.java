package io.viaduct.tunnel.wire;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Reads a [PathMessage.Probe] where it lies. A responder gets very many, and no object is made for
/// them. Normative: docs/protocol.md "PATH".
///
///     |0    |1      |5     |13     |21   |25    |26    |27     |
///     |kind |number |t1    |offset |rtt  |path  |used  |spare  |  the last three with several paths
///     |28         |29   |
///     |name length|name |  if bit 7 of the path is set, with the feature LINK_NAMES
///     |measurement|        with the feature MEASUREMENTS
public final class ProbeBody {
  static final int KIND = 0;

  /// Bit of the path's byte: the name of the link follows.
  static final int NAMES_LINK = 0x80;

  private static final int NUMBER = Byte.BYTES;
  private static final int T1 = NUMBER + Integer.BYTES;
  private static final int OFFSET = T1 + Long.BYTES;
  private static final int ROUND_TRIP = OFFSET + Long.BYTES;
  private static final int PATH = ROUND_TRIP + Integer.BYTES;
  private static final int USED = PATH + Byte.BYTES;
  private static final int SPARE = USED + Byte.BYTES;
  private static final int LENGTH_OF_ONE_PATH = PATH;
  private static final int LENGTH_OF_SEVERAL = SPARE + Byte.BYTES;

  private byte[] bytes = {};
  private int at;
  private int length;

  // Bytes up to the end of the name; the measurement begins there.
  private int named;

  /// Looks at a message. @return false if it is no probe of this version
  public boolean wrap(byte[] message, int start, int messageLength) {
    bytes = message;
    at = start;
    length = messageLength;
    named = LENGTH_OF_SEVERAL;
    if (length == LENGTH_OF_ONE_PATH) {
      return bytes[at] == KIND;
    }
    if (length < LENGTH_OF_SEVERAL || bytes[at] != KIND) {
      return false;
    }
    if (namesLink()) {
      if (length == LENGTH_OF_SEVERAL) {
        return false;
      }
      int name = bytes[at + LENGTH_OF_SEVERAL] & 0xFF;
      named = LENGTH_OF_SEVERAL + 1 + name;
      if (named > length || !LinkName.isValid(bytes, at + LENGTH_OF_SEVERAL + 1, name)) {
        return false;
      }
    }
    return length == named || isSharing();
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
    return namesPath() ? bytes[at + PATH] & ~NAMES_LINK & 0xFF : PathMessage.NO_PATH;
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

  /// Returns whether the prober tells the name of its link.
  public boolean namesLink() {
    return namesPath() && (bytes[at + PATH] & NAMES_LINK) != 0;
  }

  /// Returns the name of the prober's link, which is `known` itself if that is the same name. Call
  /// it only if the probe tells a name.
  public String link(String known) {
    int start = at + LENGTH_OF_SEVERAL + 1;
    int name = named - LENGTH_OF_SEVERAL - 1;
    return LinkName.isSame(known, bytes, start, name)
        ? known
        : new String(bytes, start, name, StandardCharsets.US_ASCII);
  }

  /// Returns whether the prober shares what it has measured.
  public boolean isSharing() {
    return length == named + PathMeasurement.BYTES;
  }

  /// Returns what the prober has measured, null if it does not share that.
  public @Nullable PathMeasurement shared() {
    return isSharing() ? PathMeasurement.read(bytes, at + named) : null;
  }

  PathMessage.Probe message() {
    return new PathMessage.Probe(
        number(),
        t1Us(),
        offsetUs(),
        roundTripUs(),
        path(),
        used(),
        spare(),
        namesLink() ? link(LinkName.UNKNOWN) : null,
        shared());
  }
}
