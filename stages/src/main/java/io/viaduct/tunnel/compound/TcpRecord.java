package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.wire.BigEndian;

/// Fields of TCP records one after the other, as the reader finds them.
public final class TcpRecord {
  private static final int ACK = 0x10;
  private final byte[] bytes = new byte[20];
  private final TcpFields fields = new TcpFields();

  /// The fields of the segment that begins there.
  public TcpFields at(int sequence) {
    BigEndian.putInt(bytes, 1, sequence);
    bytes[11] = ACK;
    if (fields.read(bytes, 0, bytes.length) < 0) {
      throw new IllegalStateException("the record must be well-formed");
    }
    return fields;
  }
}
