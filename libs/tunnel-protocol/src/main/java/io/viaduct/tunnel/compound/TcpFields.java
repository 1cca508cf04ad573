package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.IpFields;

/// Holds the header fields of a TCP record: a flyweight over the array that holds the record.
public final class TcpFields {
  private static final int FIXED = 1 + 4 + 4 + 2 + 1;
  int mask;
  int sequence;
  int acknowledgement;
  int window;
  int flags;
  long timestamps;
  int urgent;
  int optionsAt;
  int optionsBytes;
  int segmentBytes;

  /// Reads the fields. @return the position behind them, or −1 if they are cut or wrong
  int read(byte[] from, int at, int end) {
    if (end - at < FIXED) {
      return -1;
    }
    mask = from[at];
    if ((mask & 0xE0) != 0 || (mask & 0x05) == 0x05) {
      return -1;
    }
    sequence = BigEndian.getInt(from, at + 1);
    acknowledgement = BigEndian.getInt(from, at + 5);
    window = BigEndian.getShort(from, at + 9);
    flags = from[at + 11] & 0xFF;
    int position = at + FIXED;
    timestamps = 0;
    urgent = 0;
    optionsBytes = 0;
    if ((mask & Record.MASK_TIMESTAMPS) != 0) {
      if (end - position < 8) {
        return -1;
      }
      timestamps = BigEndian.getLong(from, position);
      position += 8;
    }
    if ((mask & Record.MASK_URGENT) != 0) {
      if (end - position < 2) {
        return -1;
      }
      urgent = BigEndian.getShort(from, position);
      position += 2;
    }
    if ((mask & Record.MASK_OPTIONS) != 0) {
      if (end == position) {
        return -1;
      }
      optionsBytes = from[position] & 0xFF;
      optionsAt = position + 1;
      position += 1 + optionsBytes;
      if (optionsBytes > 40 || (optionsBytes & 3) != 0 || position > end) {
        return -1;
      }
    }
    segmentBytes = 0;
    if ((mask & Record.MASK_SEGMENTED) != 0) {
      if (end - position < 2) {
        return -1;
      }
      segmentBytes = BigEndian.getShort(from, position);
      position += 2;
      if (segmentBytes < Record.SEGMENT_BYTES_MIN) {
        return -1;
      }
    }
    return position;
  }

  /// Returns a copy.
  ///
  /// @param shift distance by which the options have moved in the array
  public TcpFields moved(int shift) {
    TcpFields copy = new TcpFields();
    copy.mask = mask;
    copy.sequence = sequence;
    copy.acknowledgement = acknowledgement;
    copy.window = window;
    copy.flags = flags;
    copy.timestamps = timestamps;
    copy.urgent = urgent;
    copy.optionsAt = optionsAt + shift;
    copy.optionsBytes = optionsBytes;
    copy.segmentBytes = segmentBytes;
    return copy;
  }

  public int mask() {
    return mask;
  }

  public int sequence() {
    return sequence;
  }

  public int acknowledgement() {
    return acknowledgement;
  }

  public int window() {
    return window;
  }

  public int flags() {
    return flags;
  }

  public boolean hasTimestamps() {
    return (mask & Record.MASK_TIMESTAMPS) != 0;
  }

  /// Returns TSval ‖ TSecr.
  public long timestamps() {
    return timestamps;
  }

  public int urgent() {
    return urgent;
  }

  public boolean hasAccurateEcn() {
    return (mask & Record.MASK_AE) != 0;
  }

  public int optionsAt() {
    return optionsAt;
  }

  public int optionsBytes() {
    return optionsBytes;
  }

  /// Returns the payload bytes of each segment but the last if the record holds several; else 0.
  public int segmentBytes() {
    return segmentBytes;
  }

  /// Returns whether segments may differ in sequence and payload only.
  public boolean isPlain() {
    return (mask & ~Record.MASK_TIMESTAMPS) == 0;
  }

  /// Returns the length of the TCP header in bytes.
  public int headerBytes() {
    return IpFields.TCP_HEADER + (hasTimestamps() ? 12 : optionsBytes);
  }
}
