package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.wire.BigEndian;

/// Fields of TCP records in sequence, as the reader returns them.
public final class TcpRecord {
  private static final int ACK = 0x10;
  private final byte[] bytes = new byte[20];
  private final TcpFields fields = new TcpFields();

  /// Returns the fields of the segment with a sequence number.
  public TcpFields at(int sequence) {
    BigEndian.putInt(bytes, 1, sequence);
    bytes[11] = ACK;
    if (fields.read(bytes, 0, bytes.length) < 0) {
      throw new IllegalStateException("the record must be well-formed");
    }
    return fields;
  }
}
