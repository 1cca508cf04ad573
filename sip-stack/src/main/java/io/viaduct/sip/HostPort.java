package io.viaduct.sip;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// `host:port` as SIP writes it: IPv6 in brackets (RFC 3261 section 25.1, `hostport`).
///
/// @param host a name or a numeric address without brackets
/// @param port 0 when it was not written
public record HostPort(String host, int port) {
  public static HostPort of(InetSocketAddress address) {
    return new HostPort(numeric(address.getAddress()), address.getPort());
  }

  /// The numeric form without an IPv6 zone, which means nothing to the peer.
  public static String numeric(InetAddress address) {
    String text = address.getHostAddress();
    int zone = text.indexOf('%');
    return address instanceof Inet6Address && zone > 0 ? text.substring(0, zone) : text;
  }

  /// Reads `host`, `host:port`, `[v6]` or `[v6]:port`.
  ///
  /// @throws IllegalArgumentException if it is none of these
  public static HostPort parse(String text) {
    int close = text.startsWith("[") ? text.indexOf(']') : -1;
    int colon = text.indexOf(':', Math.max(close, 0));
    String host = text.substring(0, colon < 0 ? text.length() : colon);
    if (close > 0) {
      host = text.substring(1, close);
    }
    if (host.isEmpty()) {
      throw new IllegalArgumentException("host must not be empty in '" + text + "'");
    }
    return new HostPort(host, colon < 0 ? 0 : port(text.substring(colon + 1)));
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
