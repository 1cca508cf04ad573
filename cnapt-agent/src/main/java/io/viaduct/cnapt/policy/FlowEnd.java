package io.viaduct.cnapt.policy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One end of a flow as a person writes it, in the form of RFC 3986 section 3.2.2:
/// `198.51.100.7:5060`, `[2001:db8::7]:5060`.
///
/// @param port 0 if there is none
public record FlowEnd(InetAddress address, int port) {
  static final int PORT_MAX = 65_535;
  private static final int DIGITS_MAX = 9;
  private static final Pattern WITH_PORT =
      Pattern.compile("(?:\\[([^\\]]+)\\]|([^:\\[\\]]+)):(\\d+)");
  private static final Pattern BRACKETS = Pattern.compile("\\[([^\\]]+)\\]");

  /// Parses an address with a port.
  ///
  /// @throws IllegalArgumentException naming the text and the form, or the port and its range
  static FlowEnd withPort(String text) {
    FlowEnd end = parsed(text);
    if (end.port < 1) {
      throw new IllegalArgumentException(outOfRange("0", text));
    }
    return end;
  }

  private static FlowEnd parsed(String text) {
    Matcher matcher = WITH_PORT.matcher(text);
    if (matcher.matches()) {
      boolean isBracketed = matcher.group(1) != null;
      InetAddress address = literal(matcher.group(isBracketed ? 1 : 2));
      if (address != null && isBracketed == address instanceof Inet6Address) {
        return new FlowEnd(address, port(matcher.group(3), text));
      }
    }
    throw new IllegalArgumentException(
        "an end of a flow must be such as 198.51.100.7:5060 or [2001:db8::7]:5060, got '"
            + text
            + "'");
  }

  private static int port(String digits, String text) {
    int port =
        digits.length() <= DIGITS_MAX ? Integer.parseInt(digits) : PORT_MAX + 1; // no overflow
    if (port > PORT_MAX) {
      throw new IllegalArgumentException(outOfRange(digits, text));
    }
    return port;
  }

  private static String outOfRange(String port, String text) {
    return "port %s is out of range: a port is a number from 1 to %d, got '%s'"
        .formatted(port, PORT_MAX, text);
  }

  /// Parses an address alone.
  ///
  /// @return null if it is none
  static @Nullable InetAddress literal(String text) {
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  /// Parses the result of [#text], or an address alone: then the port is 0. An IPv6 address alone
  /// may have brackets.
  ///
  /// @throws IllegalArgumentException naming the text and the form
  public static FlowEnd of(String text) {
    InetAddress alone = alone(text);
    return alone == null ? parsed(text) : new FlowEnd(alone, 0);
  }

  /// Parses the words of a person: an address with a port, or an address alone.
  ///
  /// @throws IllegalArgumentException naming the text and the form, or the port and its range
  public static FlowEnd ofPerson(String text) {
    InetAddress alone = alone(text);
    return alone == null ? withPort(text) : new FlowEnd(alone, 0);
  }

  private static @Nullable InetAddress alone(String text) {
    Matcher brackets = BRACKETS.matcher(text);
    return literal(brackets.matches() ? brackets.group(1) : text);
  }

  /// Returns the text of an end.
  public static String text(InetAddress address, int port) {
    String host = address.getHostAddress();
    return (address instanceof Inet6Address ? "[" + host + "]:" : host + ":") + port;
  }
}
