package io.viaduct.sip;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// `sip:user@host:port;parameters` (RFC 3261 section 19.1). URI headers and passwords are refused:
/// no part of Viaduct needs them, and both have carried attacks.
///
/// @param user empty when absent. Escaped characters that need no escape are unescaped, so equal
///   users have one text (RFC 3261 section 19.1.4)
/// @param port 0 when absent
public record SipUri(String user, String host, int port, Map<String, String> parameters) {
  // RFC 3261 section 25.1: reserved, unreserved, escaped, and an IPv6 address's brackets. The
  // length is bounded by what a request line may hold.
  private static final Pattern WRITTEN =
      Pattern.compile("(?i)sip:[a-z0-9;/?:@&=+$,_.!~*'()%\\[\\]-]{1,1020}");

  private static final Pattern ESCAPED = Pattern.compile("%([0-9a-fA-F]{2})");
  private static final Pattern UNRESERVED = Pattern.compile("[A-Za-z0-9_.!~*'()-]");

  public SipUri {
    parameters = Map.copyOf(parameters);
  }

  public static SipUri of(String user, String host) {
    return new SipUri(user, host, 0, Map.of());
  }

  /// Reads a URI.
  ///
  /// @throws IllegalArgumentException if it is not a `sip` URI of this shape
  public static SipUri parse(String text) {
    if (!WRITTEN.matcher(text).matches()) {
      throw new IllegalArgumentException("must be a sip: URI, got '" + text + "'");
    }
    String rest = text.substring(4);
    if (rest.indexOf('?') >= 0) {
      throw new IllegalArgumentException("URI headers are not supported: '" + text + "'");
    }
    int at = rest.lastIndexOf('@');
    String user = at < 0 ? "" : rest.substring(0, at);
    if (user.indexOf('@') >= 0 || user.indexOf(':') >= 0 || (at == 0)) {
      throw new IllegalArgumentException("user must be one name without password: '" + text + "'");
    }
    String tail = rest.substring(at + 1);
    int semicolon = tail.indexOf(';');
    HostPort hostPort = HostPort.parse(semicolon < 0 ? tail : tail.substring(0, semicolon));
    Map<String, String> parameters =
        semicolon < 0 ? Map.of() : FieldText.parameters(tail.substring(semicolon + 1), ';');
    return new SipUri(
        unescaped(user), hostPort.host().toLowerCase(Locale.ROOT), hostPort.port(), parameters);
  }

  private static String unescaped(String user) {
    return user.indexOf('%') < 0
        ? user
        : ESCAPED
            .matcher(user)
            .replaceAll(found -> {
              String c = Character.toString(Integer.parseInt(found.group(1), 16));
              return UNRESERVED.matcher(c).matches()
                  ? Matcher.quoteReplacement(c)
                  : found.group().toUpperCase(Locale.ROOT);
            });
  }

  /// Returns the address of record: scheme, user, host (RFC 3261 section 10.3 step 5).
  public SipUri addressOfRecord() {
    return of(user, host);
  }

  @Override
  public String toString() {
    return "sip:"
        + (user.isEmpty() ? "" : user + "@")
        + new HostPort(host, port)
        + parameters.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(p -> ";" + p.getKey() + (p.getValue().isEmpty() ? "" : "=" + p.getValue()))
            .collect(Collectors.joining());
  }
}
