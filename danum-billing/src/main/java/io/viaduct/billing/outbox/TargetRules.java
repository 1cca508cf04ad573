package io.viaduct.billing.outbox;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.springframework.security.web.util.matcher.IpAddressMatcher;

/// Decides which addresses a webhook may reach, so that nobody makes billing talk to the operator's
/// own network (server-side request forgery). The check is part of the name resolution of each
/// connection: a name that changes its address later is checked again.
public final class TargetRules implements DnsResolver {
  /// Networks that are not the Internet (IANA special-purpose registries).
  private static final List<IpAddressMatcher> INTERNAL =
      Stream.of(
              "0.0.0.0/8",
              "10.0.0.0/8",
              "100.64.0.0/10",
              "127.0.0.0/8",
              "169.254.0.0/16",
              "172.16.0.0/12",
              "192.0.0.0/24",
              "192.0.2.0/24",
              "192.88.99.0/24",
              "192.168.0.0/16",
              "198.18.0.0/15",
              "198.51.100.0/24",
              "203.0.113.0/24",
              "224.0.0.0/3",
              "::/16", // unspecified, loopback, and IPv4 in IPv6
              "64:ff9b::/32",
              "100::/64",
              "2001::/23",
              "2001:db8::/32",
              "2002::/16",
              "fc00::/7",
              "fe80::/9",
              "ff00::/8")
          .map(IpAddressMatcher::new)
          .toList();

  private final List<IpAddressMatcher> allowed;
  private final DnsResolver names;

  /// @param allowed networks that webhooks may reach although they are internal; also by plain HTTP
  public TargetRules(List<String> allowed) {
    this(allowed, SystemDefaultDnsResolver.INSTANCE);
  }

  TargetRules(List<String> allowed, DnsResolver names) {
    this.allowed = allowed.stream().map(IpAddressMatcher::new).toList();
    this.names = names;
  }

  /// Returns true if a webhook may reach this address.
  boolean isAllowed(InetAddress address) {
    String text = address.getHostAddress().replaceFirst("%.*", "");
    return isListed(text) || INTERNAL.stream().noneMatch(network -> network.matches(text));
  }

  private boolean isListed(String address) {
    return allowed.stream().anyMatch(network -> network.matches(address));
  }

  /// Checks the address of a new endpoint.
  ///
  /// @throws IllegalArgumentException naming the rule that it breaks
  public void require(String url) {
    URI uri = parse(url);
    try {
      InetAddress[] addresses = resolve(uri.getHost());
      if (uri.getScheme().equals("http")
          && !Arrays.stream(addresses).allMatch(a -> isListed(a.getHostAddress()))) {
        throw new IllegalArgumentException(
            "url must begin with https://, except in webhooks.allowed-networks");
      }
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("url: " + e.getMessage());
    }
  }

  private static URI parse(String url) {
    try {
      URI uri = URI.create(url);
      if (url.length() <= 1000
          && uri.getScheme() != null
          && uri.getScheme().matches("https?")
          && uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.getRawFragment() == null) {
        return uri;
      }
    } catch (IllegalArgumentException _) {
      // refused below
    }
    throw new IllegalArgumentException(
        "url must be an https address without user and fragment, of at most 1000 characters");
  }

  @Override
  public InetAddress[] resolve(String host) throws UnknownHostException {
    InetAddress[] addresses = names.resolve(host);
    for (InetAddress address : addresses) {
      if (!isAllowed(address)) {
        // The address is not told: it could be that of an internal name.
        throw new UnknownHostException(
            host + " is in a network that webhooks may not reach (webhooks.allowed-networks)");
      }
    }
    return addresses;
  }

  @Override
  public String resolveCanonicalHostname(String host) throws UnknownHostException {
    return names.resolveCanonicalHostname(host);
  }
}
