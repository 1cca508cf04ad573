package io.viaduct.diameter.message;

import io.viaduct.diameter.dictionary.AvpDefinition;
import io.viaduct.diameter.dictionary.AvpType;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.regex.Pattern;

/// Converts the data of an AVP between octets and value, by the format of its definition.
final class AvpFormat {
  private static final Pattern IDENTITY = Pattern.compile("[A-Za-z0-9._-]{1,255}");
  private static final long UNSIGNED_32_MAX = 0xFFFF_FFFFL;
  private static final int E164 = 8;

  // Seconds from 1900, where the format begins, to 1970. Its 32 bits wrap on 2036-02-07; values
  // below 2³¹ are after that day, as in SNTP (RFC 5905).
  private static final long EPOCH_1900 = 2_208_988_800L;
  private static final long WRAP = 1L << 32;

  private AvpFormat() {}

  /// Checks that a value has the format of a definition.
  static void check(AvpDefinition definition, AvpValue value) {
    String reason =
        switch (value) {
          case AvpValue.Octets _ ->
              definition.type() == AvpType.OCTET_STRING ? "" : "is no OctetString";
          case AvpValue.Whole(long number) -> wholeFlaw(definition.type(), number);
          case AvpValue.Real _ ->
              definition.type() == AvpType.FLOAT_32 || definition.type() == AvpType.FLOAT_64
                  ? ""
                  : "is no float";
          case AvpValue.Text(String text) -> textFlaw(definition.type(), text);
          case AvpValue.Moment(Instant time) -> timeFlaw(definition.type(), time);
          case AvpValue.Group _ -> definition.type() == AvpType.GROUPED ? "" : "is not Grouped";
          case AvpValue.Address address -> addressFlaw(definition.type(), address);
        };
    if (!reason.isEmpty()) {
      throw new IllegalArgumentException(definition.name() + " " + reason);
    }
  }

  private static String wholeFlaw(AvpType type, long number) {
    return switch (type) {
      case INTEGER_32, ENUMERATED -> number == (int) number ? "" : "exceeds 32 bits: " + number;
      case UNSIGNED_32 -> number >= 0 && number <= UNSIGNED_32_MAX ? "" : "exceeds 32 bits";
      case INTEGER_64, UNSIGNED_64 -> "";
      default -> "is no whole number";
    };
  }

  private static String textFlaw(AvpType type, String text) {
    return switch (type) {
      case UTF8_STRING -> StandardCharsets.UTF_8.newEncoder().canEncode(text) ? "" : "is no UTF-8";
      case DIAMETER_IDENTITY -> IDENTITY.matcher(text).matches() ? "" : "is no FQDN or realm";
      case DIAMETER_URI -> {
        DiameterUri.parse(text);
        yield "";
      }
      default -> "is no text";
    };
  }

  private static String timeFlaw(AvpType type, Instant time) {
    long since1900 = time.getEpochSecond() + EPOCH_1900;
    boolean inside = since1900 >= WRAP / 2 && since1900 < WRAP + WRAP / 2;
    return type == AvpType.TIME && inside && time.getNano() == 0
        ? ""
        : "is no Time between 1968 and 2104 in whole seconds";
  }

  private static String addressFlaw(AvpType type, AvpValue.Address address) {
    int bytes = address.bytes().length;
    boolean fits =
        switch (address.family()) {
          case AvpValue.Address.IPV4 -> bytes == 4;
          case AvpValue.Address.IPV6 -> bytes == 16;
          case E164 -> bytes > 0;
          default -> address.family() > 0 && address.family() < 0xFFFF;
        };
    return type == AvpType.ADDRESS && fits ? "" : "is no Address";
  }

  /// Returns the data of a value that is not a group.
  static byte[] encode(AvpType type, AvpValue value) {
    return switch (value) {
      case AvpValue.Octets(byte[] bytes) -> bytes;
      case AvpValue.Whole(long number) ->
          type.bytesMin() == Integer.BYTES
              ? ByteBuffer.allocate(4).putInt((int) number).array()
              : ByteBuffer.allocate(8).putLong(number).array();
      case AvpValue.Real(double number) ->
          type == AvpType.FLOAT_32
              ? ByteBuffer.allocate(4).putFloat((float) number).array()
              : ByteBuffer.allocate(8).putDouble(number).array();
      case AvpValue.Text(String text) -> text.getBytes(StandardCharsets.UTF_8);
      case AvpValue.Moment(Instant time) ->
          ByteBuffer.allocate(4).putInt((int) (time.getEpochSecond() + EPOCH_1900)).array();
      case AvpValue.Address(int family, byte[] bytes) ->
          ByteBuffer.allocate(2 + bytes.length).putShort((short) family).put(bytes).array();
      case AvpValue.Group _ -> throw new IllegalArgumentException("a group has no data of its own");
    };
  }

  /// Returns the value of data that is not a group. Its length fits the type.
  ///
  /// @throws IllegalArgumentException if the data has not the format
  static AvpValue decode(AvpType type, ByteBuffer data) {
    return switch (type) {
      case OCTET_STRING -> new AvpValue.Octets(rest(data));
      case INTEGER_32, ENUMERATED -> new AvpValue.Whole(data.getInt());
      case UNSIGNED_32 -> new AvpValue.Whole(Integer.toUnsignedLong(data.getInt()));
      case INTEGER_64, UNSIGNED_64 -> new AvpValue.Whole(data.getLong());
      case FLOAT_32 -> new AvpValue.Real(data.getFloat());
      case FLOAT_64 -> new AvpValue.Real(data.getDouble());
      case UTF8_STRING, DIAMETER_IDENTITY, DIAMETER_URI -> new AvpValue.Text(text(data));
      case TIME -> new AvpValue.Moment(time(Integer.toUnsignedLong(data.getInt())));
      case ADDRESS -> new AvpValue.Address(Short.toUnsignedInt(data.getShort()), rest(data));
      case GROUPED -> throw new IllegalArgumentException("a group has AVPs");
    };
  }

  private static byte[] rest(ByteBuffer data) {
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    return bytes;
  }

  private static String text(ByteBuffer data) {
    try {
      // The decoder of a charset's decode() replaces what is wrong; a new one reports it.
      return StandardCharsets.UTF_8.newDecoder().decode(data).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("no UTF-8", e);
    }
  }

  private static Instant time(long seconds) {
    long since1900 = seconds >= WRAP / 2 ? seconds : seconds + WRAP;
    return Instant.ofEpochSecond(since1900 - EPOCH_1900);
  }
}
