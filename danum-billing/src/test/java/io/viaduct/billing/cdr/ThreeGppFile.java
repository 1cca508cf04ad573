package io.viaduct.billing.cdr;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;

/// A file as TS 32.297, sections 6.1.1 and 6.1.2, describes it. The structure of its records is
/// read by `openssl`.
///
/// @param records contents of the fields of each record, by their tags
record ThreeGppFile(Header header, List<CdrHeader> recordHeaders, List<List<byte[]>> records) {
  /// The header of a file, field by field.
  record Header(
      long fileLength,
      long headerLength,
      Version high,
      Version low,
      Time opened,
      Time lastAppended,
      long records,
      long sequence,
      int cause,
      List<Integer> node,
      int lostCdrs,
      int routeingFilterLength,
      int privateExtensionLength,
      int highReleaseExtension,
      int lowReleaseExtension) {}

  /// Release and version: 3 and 5 bits.
  record Version(int release, int version) {}

  /// The header of a record.
  record CdrHeader(int length, Version version, int format, int tsNumber, int releaseExtension) {}

  /// A time of the header: month (4 bits), day (5), hour (5), minute (6), sign of the deviation
  /// from UTC (1), its hours (5) and minutes (6).
  record Time(
      int month,
      int day,
      int hour,
      int minute,
      char sign,
      int deviationHours,
      int deviationMinutes) {
    static Time of(int bits) {
      return new Time(
          bits >>> 28,
          bits >>> 23 & 0b11111,
          bits >>> 18 & 0b11111,
          bits >>> 12 & 0b111111,
          (bits >>> 11 & 1) == 1 ? '+' : '-',
          bits >>> 6 & 0b11111,
          bits & 0b111111);
    }

    /// Returns the time that a file must have for an instant.
    static Time in(Instant at) {
      ZonedDateTime utc = at.atZone(ZoneOffset.UTC);
      return new Time(
          utc.getMonthValue(), utc.getDayOfMonth(), utc.getHour(), utc.getMinute(), '+', 0, 0);
    }
  }

  static ThreeGppFile read(Path path) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(path));
    Header header = header(in);
    assertThat(header.fileLength()).isEqualTo(in.capacity());
    assertThat(header.headerLength()).isEqualTo(in.position());
    List<CdrHeader> headers = new ArrayList<>();
    ByteArrayOutputStream records = new ByteArrayOutputStream();
    while (in.hasRemaining()) {
      int length = Short.toUnsignedInt(in.getShort());
      Version version = version(in);
      int format = Byte.toUnsignedInt(in.get());
      headers.add(
          new CdrHeader(
              length, version, format >>> 5, format & 0b11111, Byte.toUnsignedInt(in.get())));
      byte[] record = new byte[length];
      in.get(record);
      records.writeBytes(record);
    }
    assertThat(header.records()).isEqualTo(headers.size());
    return new ThreeGppFile(header, headers, fields(headers, records.toByteArray()));
  }

  private static List<List<byte[]>> fields(List<CdrHeader> headers, byte[] records) {
    List<List<byte[]>> fields = new ArrayList<>();
    int end = 0;
    for (Asn1Element element : Asn1Element.parse(records)) {
      if (element.depth() == 0) {
        assertThat(element.type()).isEqualTo("cons: priv [ 1 ]");
        assertThat(element.offset()).isEqualTo(end);
        end = element.end();
        assertThat(element.header() + element.length())
            .isEqualTo(headers.get(fields.size()).length());
        fields.add(new ArrayList<>());
      } else {
        assertThat(element.depth()).isEqualTo(1);
        assertThat(element.type())
            .isEqualTo("prim: cont [ %d ]".formatted(fields.getLast().size()));
        fields.getLast().add(element.content(records));
      }
    }
    assertThat(fields).hasSameSizeAs(headers);
    assertThat(end).isEqualTo(records.length);
    return fields;
  }

  private static Header header(ByteBuffer in) {
    return new Header(
        Integer.toUnsignedLong(in.getInt()),
        Integer.toUnsignedLong(in.getInt()),
        version(in),
        version(in),
        Time.of(in.getInt()),
        Time.of(in.getInt()),
        Integer.toUnsignedLong(in.getInt()),
        Integer.toUnsignedLong(in.getInt()),
        Byte.toUnsignedInt(in.get()),
        octets(in, 20),
        Byte.toUnsignedInt(in.get()),
        skipped(in),
        skipped(in),
        Byte.toUnsignedInt(in.get()),
        Byte.toUnsignedInt(in.get()));
  }

  private static Version version(ByteBuffer in) {
    int octet = Byte.toUnsignedInt(in.get());
    return new Version(octet >>> 5, octet & 0b11111);
  }

  private static List<Integer> octets(ByteBuffer in, int count) {
    List<Integer> octets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      octets.add(Byte.toUnsignedInt(in.get()));
    }
    return octets;
  }

  // A field with its length before it.
  private static int skipped(ByteBuffer in) {
    int length = Short.toUnsignedInt(in.getShort());
    in.position(in.position() + length);
    return length;
  }

  long number(int record, int field) {
    return new BigInteger(records.get(record).get(field)).longValueExact();
  }

  String text(int record, int field) {
    return new String(records.get(record).get(field), UTF_8);
  }
}
