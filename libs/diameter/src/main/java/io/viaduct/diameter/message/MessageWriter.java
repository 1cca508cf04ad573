package io.viaduct.diameter.message;

import io.viaduct.diameter.dictionary.AvpKey;
import java.io.ByteArrayOutputStream;

/// Writes messages as octets (RFC 6733 sections 3 and 4).
final class MessageWriter {
  static final int VERSION = 1;
  static final int REQUEST = 0x80;
  static final int PROXIABLE = 0x40;
  static final int ERROR = 0x20;
  static final int RETRANSMITTED = 0x10;
  static final int VENDOR = 0x80;
  static final int MANDATORY = 0x40;
  static final int LENGTH_MAX = (1 << 24) - 1;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);

  private MessageWriter() {}

  /// @throws IllegalArgumentException if the message is longer than its length field can say
  static byte[] write(DiameterMessage message) {
    MessageWriter writer = new MessageWriter();
    byte[] avps = writer.group(message.avps());
    writer.out.reset();
    writer.header(message.header(), avps.length);
    writer.out.writeBytes(avps);
    return writer.out.toByteArray();
  }

  private void header(DiameterHeader header, int bytes) {
    out.write(VERSION);
    number(DiameterHeader.BYTES + bytes, 3);
    out.write(
        (header.request() ? REQUEST : 0)
            | (header.proxiable() ? PROXIABLE : 0)
            | (header.error() ? ERROR : 0)
            | (header.retransmitted() ? RETRANSMITTED : 0));
    number(header.command(), 3);
    number(header.application(), 4);
    number(header.hopByHop(), 4);
    number(header.endToEnd(), 4);
  }

  private byte[] group(AvpGroup group) {
    group.avps().forEach(this::avp);
    return out.toByteArray();
  }

  private void avp(Avp avp) {
    byte[] data =
        avp.value() instanceof AvpValue.Group(AvpGroup inner)
            ? new MessageWriter().group(inner)
            : AvpFormat.encode(avp.definition().type(), avp.value());
    AvpKey key = avp.definition().key();
    boolean vendor = key.vendor() != 0;
    number(key.code(), 4);
    out.write((vendor ? VENDOR : 0) | (avp.mandatory() ? MANDATORY : 0));
    number((vendor ? 12 : 8) + data.length, 3);
    if (vendor) {
      number(key.vendor(), 4);
    }
    out.writeBytes(data);
    out.writeBytes(new byte[-data.length & 3]);
  }

  private void number(long value, int bytes) {
    if (bytes == 3 && (value < 0 || value > LENGTH_MAX)) {
      throw new IllegalArgumentException(value + " exceeds 24 bits");
    }
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      out.write((int) (value >>> shift));
    }
  }
}
