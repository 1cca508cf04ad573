package io.viaduct.tunnel.dictionary;

import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.VarInt;

/// Fields of an EPOCH record: the dictionary that its sender holds, and its contents. The
/// dictionary consists of the blocks of one context in the datagrams from `last − span` to `last`,
/// without the gaps.
///
/// ```
/// context varint, epoch varint, last u32, span varint, hash u64, n varint, n × (skip varint, length − 1 varint)
/// ```
///
/// `skip` counts from the end of the previous gap. A flyweight that is read into and written from.
public final class EpochAnnouncement {
  /// Largest number of gaps. If there are more, the epoch begins behind them.
  public static final int GAPS_MAX = 48;

  static final int SPAN_MAX = ProcessedSequences.SIZE - 1;

  /// Largest length without the kind, in bytes.
  public static final int BYTES_MAX = 5 + 5 + 4 + 3 + 8 + 1 + GAPS_MAX * 6;

  int context;
  int epoch;
  int lastLow;
  int span;
  long hash;
  int gaps;
  final int[] gapAt = new int[GAPS_MAX];
  final int[] gapLength = new int[GAPS_MAX];

  public int context() {
    return context;
  }

  public int epoch() {
    return epoch;
  }

  /// Returns the bytes that [#write] writes.
  public int length() {
    int bytes = VarInt.length(context) + VarInt.length(epoch) + 4 + VarInt.length(span) + 8;
    bytes += VarInt.length(gaps);
    int behind = 0;
    for (int i = 0; i < gaps; i++) {
      bytes += VarInt.length(gapAt[i] - behind) + VarInt.length(gapLength[i] - 1);
      behind = gapAt[i] + gapLength[i];
    }
    return bytes;
  }

  /// Writes the fields. @return the position behind them
  public int write(byte[] to, int start) {
    int at = VarInt.write(to, start, context);
    at = VarInt.write(to, at, epoch);
    BigEndian.putInt(to, at, lastLow);
    at = VarInt.write(to, at + 4, span);
    BigEndian.putLong(to, at, hash);
    at = VarInt.write(to, at + 8, gaps);
    int behind = 0;
    for (int i = 0; i < gaps; i++) {
      at = VarInt.write(to, at, gapAt[i] - behind);
      at = VarInt.write(to, at, gapLength[i] - 1);
      behind = gapAt[i] + gapLength[i];
    }
    return at;
  }

  /// Reads the fields. @return the position behind them, −1 if they are cut or break a bound
  public int read(byte[] from, int start, int end) {
    long read = VarInt.readInt(from, start, end);
    if (read <= 0) {
      return -1;
    }
    context = (int) read;
    int at = start + (int) (read >>> 32);
    read = VarInt.readInt(from, at, end);
    epoch = (int) read;
    if (read < 0 || epoch == 0 || context == 0) {
      return -1;
    }
    at += (int) (read >>> 32);
    if (end - at < 4) {
      return -1;
    }
    lastLow = BigEndian.getInt(from, at);
    at += 4;
    read = VarInt.readInt(from, at, end);
    span = (int) read;
    if (read < 0 || span > SPAN_MAX) {
      return -1;
    }
    at += (int) (read >>> 32);
    if (end - at < 8) {
      return -1;
    }
    hash = BigEndian.getLong(from, at);
    return readGaps(from, at + 8, end);
  }

  private int readGaps(byte[] from, int start, int end) {
    long read = VarInt.readInt(from, start, end);
    gaps = (int) read;
    if (read < 0 || gaps > GAPS_MAX) {
      return -1;
    }
    int at = start + (int) (read >>> 32);
    int behind = 0;
    for (int i = 0; i < gaps; i++) {
      read = VarInt.readInt(from, at, end);
      int skip = (int) read;
      if (read < 0 || skip > SPAN_MAX) {
        return -1;
      }
      at += (int) (read >>> 32);
      read = VarInt.readInt(from, at, end);
      int length = (int) read;
      if (read < 0 || length > SPAN_MAX) {
        return -1;
      }
      at += (int) (read >>> 32);
      gapAt[i] = behind + skip;
      gapLength[i] = length + 1;
      behind = gapAt[i] + gapLength[i];
      if (behind > span) {
        return -1;
      }
    }
    return at;
  }

  /// Returns whether the datagram at this distance from the first one is in no gap.
  boolean has(int distance) {
    for (int i = 0; i < gaps && gapAt[i] <= distance; i++) {
      if (distance < gapAt[i] + gapLength[i]) {
        return false;
      }
    }
    return true;
  }

  /// Returns the sequence of the last datagram that the announcement covers.
  long last(long nextSequence) {
    return DatagramHeader.restore(lastLow, nextSequence);
  }
}
