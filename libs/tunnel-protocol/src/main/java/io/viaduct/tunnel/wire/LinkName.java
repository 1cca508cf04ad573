package io.viaduct.tunnel.wire;

import java.nio.charset.StandardCharsets;

/// The name of a link of the device, such as `wlan0`: a letter or digit, then letters, digits, `.`,
/// `_` and `-`. So it needs no quoting in a log, a page or a file. Normative: docs/protocol.md
/// section 4.5.
public final class LinkName {
  /// Most bytes of a name: IFNAMSIZ of Linux without the final zero.
  public static final int BYTES_MAX = 15;

  /// Stands for a link that is not known.
  public static final String UNKNOWN = "";

  private LinkName() {}

  /// Returns the name of an interface, [#UNKNOWN] if it is no name of this form.
  public static String of(String interfaceName) {
    byte[] bytes = interfaceName.getBytes(StandardCharsets.UTF_8);
    return isValid(bytes, 0, bytes.length) ? interfaceName : UNKNOWN;
  }

  /// Returns whether the bytes are a name; none are [#UNKNOWN].
  static boolean isValid(byte[] bytes, int at, int length) {
    if (length > BYTES_MAX) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      byte each = bytes[at + i];
      boolean isMark = each == '.' || each == '_' || each == '-';
      if (!isLetterOrDigit(each) && (i == 0 || !isMark)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isLetterOrDigit(byte each) {
    return each >= 'a' && each <= 'z' || each >= 'A' && each <= 'Z' || each >= '0' && each <= '9';
  }

  /// Writes the length in one byte, and the name. @return the position behind it
  static int write(String name, byte[] to, int at) {
    int length = name.length();
    to[at] = (byte) length;
    for (int i = 0; i < length; i++) {
      to[at + 1 + i] = (byte) name.charAt(i);
    }
    return at + 1 + length;
  }

  static boolean isSame(String name, byte[] bytes, int at, int length) {
    if (name.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (name.charAt(i) != bytes[at + i]) {
        return false;
      }
    }
    return true;
  }
}
