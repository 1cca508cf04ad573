package io.viaduct.sip;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `host:port` as SIP writes it: IPv6 in brackets (RFC 3261 section 25.1, `hostport`).
///
/// @param host a name or a numeric address without brackets
/// @param port 0 if the text has no port
public record HostPort(String host, int port) {
  /// Matches a host without port, as a regular expression. RFC 3261 section 25.1 allows no
  /// underscore in a host name, but such names are in use.
  public static final String HOST =
      "(\\[(?<v6>(?=[^]]*:)[0-9A-Fa-f:.]{2,45})]|(?<name>[A-Za-z0-9._-]{1,255}))";

  private static final Pattern WRITTEN = Pattern.compile(HOST + "(:(?<port>.*))?");

  public static HostPort of(InetSocketAddress address) {
    return new HostPort(numeric(address.getAddress()), address.getPort());
  }

  /// Returns the numeric address without an IPv6 zone, because a zone means nothing to the peer.
  public static String numeric(InetAddress address) {
    String text = address.getHostAddress();
    int zone = text.indexOf('%');
    return address instanceof Inet6Address && zone > 0 ? text.substring(0, zone) : text;
  }

  /// Reads `host`, `host:port`, `[v6]` or `[v6]:port`.
  ///
  /// @throws IllegalArgumentException if the text is none of these
  public static HostPort parse(String text) {
    Matcher written = WRITTEN.matcher(text);
    if (!written.matches()) {
      throw new IllegalArgumentException(
          "must be a host, or an IPv6 address in brackets, with or without ':port', got '%s'"
              .formatted(text));
    }
    String host = written.group("name") == null ? written.group("v6") : written.group("name");
    String port = written.group("port");
    return new HostPort(host, port == null ? 0 : port(port));
  }

  private static int port(String text) {
    if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > 65_535) {
      throw new IllegalArgumentException("port must be 0..65535, got '" + text + "'");
    }
    return Integer.parseInt(text);
  }

  @Override
  public String toString() {
    String written = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == 0 ? written : written + ":" + port;
  }
}
