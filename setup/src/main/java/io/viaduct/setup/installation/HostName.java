package io.viaduct.setup.installation;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The name of a host to which peers connect: a DNS name (RFC 1123) in lower case, or an IP
/// address.
///
/// @param text the name as given, without brackets and port
public record HostName(String text) {
  private static final Pattern DNS_NAME =
      Pattern.compile(
          "(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?"
              + "(\\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*");
  private static final Pattern DOTTED = Pattern.compile("[0-9.]+");
  private static final Pattern DOTTED_QUAD = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

  /// @throws IllegalArgumentException naming the value and the rule
  public HostName {
    if (!(isAddress(text)
        || (DNS_NAME.matcher(text).matches() && !DOTTED.matcher(text).matches()))) {
      throw new IllegalArgumentException(
          "a host must be an IP address or a DNS name in lower case, without scheme and port, got '%s'"
              .formatted(text));
    }
  }

  /// Reads a host name of a configuration file.
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static HostName of(String text) {
    return new HostName(text);
  }

  /// Returns whether this is an IP address and not a DNS name.
  public boolean isAddress() {
    return isAddress(text);
  }

  /// Returns whether two lists name the same hosts. An IPv6 address has many spellings.
  public static boolean same(List<HostName> some, List<HostName> others) {
    return normal(some).equals(normal(others));
  }

  private static Set<String> normal(List<HostName> hosts) {
    return hosts.stream().map(HostName::normal).collect(Collectors.toSet());
  }

  /// Returns the host in a form that can be compared.
  public String normal() {
    return isAddress() ? InetAddress.ofLiteral(text).getHostAddress() : text;
  }

  /// Returns the host part of a URL, with brackets around an IPv6 address (RFC 3986).
  public String inUrl() {
    return text.contains(":") ? "[" + text + "]" : text;
  }

  private static boolean isAddress(String text) {
    if (!text.contains(":") && !DOTTED_QUAD.matcher(text).matches()) {
      return false;
    }
    try {
      return !InetAddress.ofLiteral(text).getHostAddress().contains("%") && !text.contains("[");
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
