package io.viaduct.billing.cdr;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;

/// Files as 3GPP TS 32.297 describes them: a file header, and each record behind a header of its
/// own. A record is BER (ITU-T X.690): a SET, [PRIVATE 1], of context-specific primitive fields in
/// the order of [CdrRecord], numbers as INTEGER, all else as UTF8String, times as RFC 3339. The
/// record is Viaduct's own, so no TS number names it.
final class ThreeGppFormat implements CdrFormat {
  /// Octets of the file header without routeing filter and private extension.
  static final int HEADER_BYTES = 54;

  private static final int CDR_HEADER_BYTES = 5;
  private static final int NODE_ADDRESS_BYTES = 20;
  // 3 bits of release: 7 means that an extension octet has it; release 18 there. 5 bits of version.
  private static final int RELEASE_AND_VERSION = 7 << 5 | 1;
  private static final int RELEASE_EXTENSION = 18 - 10;
  // 3 bits: 1 is BER; 5 bits: 0, no TS number.
  private static final int BER = 1 << 5;
  private static final int RECORD_TAG = 0xe1; // private, constructed, 1
  private static final int CONTEXT = 0x80;
  private static final int HIGH_TAG = 0x1f;

  private final InetAddress node;

  /// @param node address of the node that generates the files
  ThreeGppFormat(InetAddress node) {
    this.node = node;
  }

  @Override
  public byte[] encode(CdrRecord record, int fields) {
    ByteArrayOutputStream set = new ByteArrayOutputStream();
    int tag = 0;
    for (Object value : record.fields(fields).values()) {
      field(set, tag++, value);
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.write(RECORD_TAG);
    length(body, set.size());
    body.writeBytes(set.toByteArray());
    return ByteBuffer.allocate(CDR_HEADER_BYTES + body.size())
        .putShort((short) body.size())
        .put((byte) RELEASE_AND_VERSION)
        .put((byte) BER)
        .put((byte) RELEASE_EXTENSION)
        .put(body.toByteArray())
        .array();
  }

  private static void field(ByteArrayOutputStream out, int tag, Object value) {
    if (tag >= HIGH_TAG) {
      throw new IllegalStateException("a tag above 30 has a longer form");
    }
    byte[] content =
        value instanceof Number number
            ? BigInteger.valueOf(number.longValue()).toByteArray()
            : value.toString().getBytes(UTF_8);
    out.write(CONTEXT | tag);
    length(out, content.length);
    out.writeBytes(content);
  }

  private static void length(ByteArrayOutputStream out, int length) {
    if (length < 0x80) {
      out.write(length);
    } else if (length <= 0xff) {
      out.write(0x81);
      out.write(length);
    } else if (length <= 0xffff) {
      out.write(0x82);
      out.write(length >>> 8);
      out.write(length);
    } else {
      throw new IllegalStateException("a record has at most 65535 octets, got " + length);
    }
  }

  @Override
  public byte[] file(Head head, List<byte[]> records) {
    int size = HEADER_BYTES + records.stream().mapToInt(record -> record.length).sum();
    ByteBuffer file = ByteBuffer.allocate(size);
    file.putInt(size)
        .putInt(HEADER_BYTES)
        .put((byte) RELEASE_AND_VERSION)
        .put((byte) RELEASE_AND_VERSION)
        .putInt(time(head.openedAt()))
        .putInt(time(head.closedAt()))
        .putInt(head.records())
        .putInt((int) head.sequence())
        .put((byte) head.cause())
        .put(address())
        .put((byte) 0) // no CDR was lost
        .putShort((short) 0) // no routeing filter
        .putShort((short) 0) // no private extension
        .put((byte) RELEASE_EXTENSION)
        .put((byte) RELEASE_EXTENSION);
    records.forEach(file::put);
    return file.array();
  }

  // IPv4 addresses are mapped into IPv6; the field has 20 octets, the first four are 0.
  private byte[] address() {
    byte[] address = node.getAddress();
    ByteBuffer field = ByteBuffer.allocate(NODE_ADDRESS_BYTES);
    if (address.length == 4) {
      field.position(NODE_ADDRESS_BYTES - 6);
      field.putShort((short) 0xffff);
    } else {
      field.position(NODE_ADDRESS_BYTES - address.length);
    }
    return field.put(address).array();
  }

  /// Returns a time as the header has it: month (4 bits), day (5), hour (5), minute (6), sign of
  /// the deviation from UTC (1, set for +), its hours (5) and minutes (6).
  static int time(Instant at) {
    ZonedDateTime utc = at.atZone(ZoneOffset.UTC);
    return utc.getMonthValue() << 28
        | utc.getDayOfMonth() << 23
        | utc.getHour() << 18
        | utc.getMinute() << 12
        | 1 << 11;
  }

  @Override
  public String extension() {
    return "cdr";
  }
}
