package io.viaduct.host.netlink;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Iterates over the attributes of a netlink message, or of an attribute that contains others
/// (`struct nlattr` of linux/netlink.h):
///
///     |0      |2     |4     |
///     |length |type  |value |
///
/// An attribute that does not fit ends the iteration, and [#isBroken] then returns true.
final class NetlinkAttributes {
  private static final int HEADER_LENGTH = 4;
  private static final int TYPE_MASK = 0x3fff; // without NLA_F_NESTED, NLA_F_NET_BYTEORDER

  private final ByteBuffer body;
  private int at;
  private int type;
  private ByteBuffer value;
  private boolean isBroken;

  /// @param body its order is changed to the machine's
  /// @param start index of the first attribute
  NetlinkAttributes(ByteBuffer body, int start) {
    this.body = body.order(ByteOrder.nativeOrder());
    this.at = start;
    this.value = body;
  }

  /// Moves to the next attribute.
  ///
  /// @return false at the end
  boolean next() {
    int left = body.limit() - at;
    if (left < HEADER_LENGTH) {
      return false;
    }
    int length = Short.toUnsignedInt(body.getShort(at));
    if (length < HEADER_LENGTH || length > left) {
      isBroken = true;
      return false;
    }
    type = body.getShort(at + 2) & TYPE_MASK;
    value = body.slice(at + HEADER_LENGTH, length - HEADER_LENGTH);
    value.order(ByteOrder.nativeOrder());
    at += aligned(length);
    return true;
  }

  int type() {
    return type;
  }

  /// Returns the bytes of the attribute, in the machine's order.
  ByteBuffer value() {
    return value;
  }

  /// Returns true after an attribute that does not fit, or a value of a wrong length.
  boolean isBroken() {
    return isBroken;
  }

  /// Returns the value as a number of four bytes.
  ///
  /// @param otherwise result for a value that is too short
  int number(int otherwise) {
    if (value.limit() < Integer.BYTES) {
      isBroken = true;
      return otherwise;
    }
    return value.getInt(0);
  }

  @Nullable InetAddress address() {
    byte[] bytes = new byte[value.limit()];
    value.get(0, bytes);
    InetAddress address = inet(bytes);
    isBroken |= address == null;
    return address;
  }

  String text() {
    byte[] bytes = new byte[value.limit()];
    value.get(0, bytes);
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }

  static int aligned(int length) {
    return (length + 3) & ~3;
  }

  static @Nullable InetAddress inet(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException _) {
      return null; // neither 4 nor 16 bytes
    }
  }
}
