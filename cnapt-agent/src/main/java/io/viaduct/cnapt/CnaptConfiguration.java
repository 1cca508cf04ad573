package io.viaduct.cnapt;

import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.cnapt.control.ControlSettings;
import io.viaduct.cnapt.control.Greeting;
import io.viaduct.cnapt.control.SnaptSettings;
import io.viaduct.cnapt.egress.OutageSettings;
import io.viaduct.cnapt.egress.PortalSettings;
import io.viaduct.cnapt.egress.RoutingSettings;
import io.viaduct.cnapt.egress.SplitTunnel;
import io.viaduct.cnapt.egress.TunSettings;
import io.viaduct.cnapt.hook.RoutingHookSettings;
import io.viaduct.cnapt.links.LinkRule;
import io.viaduct.cnapt.links.LinkRules;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.peer.PeerSettings;
import io.viaduct.cnapt.policy.OwnLinks;
import io.viaduct.cnapt.policy.PolicyRule;
import io.viaduct.cnapt.policy.Unmet;
import io.viaduct.cnapt.receipts.ReceiptSettings;
import io.viaduct.cnapt.signalling.SignallingSettings;
import io.viaduct.cnapt.snapts.SnaptsSettings;
import io.viaduct.cnapt.tunnel.AeadPreference;
import io.viaduct.cnapt.tunnel.SessionSettings;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// The configuration of one device's agent. `CnaptConfiguration.yml` has the defaults and their
/// reasons.
///
/// @param deviceKey PKCS#8 PEM file with the device's Ed25519 key, mode 600 (`cnapt keygen`)
/// @param trust PEM file with the operator's authorities, which sign the certificates of SNAPTs;
///   empty with a peer
/// @param peer the other end of a tunnel without a SNAPT
/// @param snapt the first SNAPT to connect to
/// @param snapts the use of several SNAPTs at a time
/// @param signalling how the session token is obtained
/// @param tokenFile file with a token, instead of signalling
/// @param dns addresses of the resolvers that applications use through the tunnel; if empty, the
///   network's own resolvers stay
/// @param links the links that may be used; the built-in lines follow it
/// @param policy the distribution of flows over the paths; the built-in lines follow it
/// @param state directory for counts and receipts, which must survive a restart
/// @param applications the operator's own classification table
/// @param routingHook the socket by which other programs hear of flows
/// @param statusSocket Unix socket for `cnapt status`
public record CnaptConfiguration(
    Path deviceKey,
    Optional<Path> trust,
    PeerSettings peer,
    SnaptSettings snapt,
    SnaptsSettings snapts,
    SignallingSettings signalling,
    Optional<Path> tokenFile,
    TunSettings tun,
    SessionSettings tunnel,
    RoutingSettings routing,
    SplitTunnel splitTunnel,
    OutageSettings outage,
    PortalSettings portal,
    List<String> dns,
    List<LinkRule> links,
    List<PolicyRule> policy,
    MobilitySettings mobility,
    ControlSettings control,
    Path state,
    ReceiptSettings receipts,
    Optional<Path> applications,
    RoutingHookSettings routingHook,
    Path statusSocket,
    OperationsSettings operations,
    LoggingSettings logging) {
  // MAXNS of resolv.h.
  private static final int RESOLVERS_MAX = 3;
  private static final int DNS_PORT = 53;

  /// Checks the rules that concern more than one key.
  public CnaptConfiguration {
    if (peer.enabled()) {
      checkPeer(peer, tun, policy);
      checkUnused(
          Map.ofEntries(
              Map.entry("trust", trust.isPresent()),
              Map.entry("snapt.host", !snapt.host().isEmpty()),
              Map.entry("snapts.sessions", snapts.sessions() > 1),
              Map.entry("snapts.region", !snapts.region().isEmpty()),
              Map.entry("snapts.unmet", snapts.unmet() == Unmet.REFUSE),
              Map.entry("policy.unmet", policy.stream().anyMatch(each -> each.unmet().isPresent())),
              Map.entry("signalling.bridge", signalling.enabled()),
              Map.entry("token-file", tokenFile.isPresent()),
              Map.entry("dns", !dns.isEmpty()),
              Map.entry("outage.direct", !outage.direct().isEmpty()),
              Map.entry("portal.probe", portal.looks() && !portal.asksSnapts()),
              Map.entry("routing-hook.socket", routingHook.socket().isPresent()),
              Map.entry("split-tunnel", splitTunnel.keepsSomething())));
    } else {
      checkSnapt(trust, snapt, signalling, tokenFile);
    }
    if (dns.size() > RESOLVERS_MAX) {
      throw new IllegalArgumentException(
          "dns must name %d resolvers at most, because programs ask no more (resolv.conf(5)), got %d"
              .formatted(RESOLVERS_MAX, dns.size()));
    }
    for (String address : dns) {
      checkResolver(address, tun);
    }
    if (splitTunnel.mark() == routing.mark()) {
      throw new IllegalArgumentException(
          "split-tunnel.mark must not be routing.mark, which the agent's own sockets have, got "
              + splitTunnel.mark());
    }
    if (routing.priority() < 2) {
      throw new IllegalArgumentException(
          "routing.priority must be at least 2, because the rules of outage.direct, portal.probe and"
              + " cnapt outside come one before, got "
              + routing.priority());
    }
    dns = List.copyOf(dns);
    LinkRules.check(links);
    OwnLinks.check(policy, links);
    links = List.copyOf(links);
    policy = List.copyOf(policy);
  }

  private static void checkSnapt(
      Optional<Path> trust,
      SnaptSettings snapt,
      SignallingSettings signalling,
      Optional<Path> tokenFile) {
    if (trust.isEmpty()) {
      throw new IllegalArgumentException(
          "trust must be given: it names the operator's authorities, which sign the certificates of"
              + " SNAPTs; for a tunnel without a SNAPT, give peer.key instead");
    }
    if (signalling.enabled() == tokenFile.isPresent()) {
      throw new IllegalArgumentException(
          "exactly one of signalling.bridge and token-file must be given: it obtains the token"
              + " that the SNAPT asks for");
    }
    if (!signalling.enabled() && snapt.host().isEmpty()) {
      throw new IllegalArgumentException(
          "snapt.host must be given with token-file: no bridge tells the list of SNAPTs");
    }
  }

  private static void checkPeer(PeerSettings peer, TunSettings tun, List<PolicyRule> policy) {
    for (AddressPrefix each : peer.prefixes()) {
      String own = each.isIpv6() ? tun.ipv6() : tun.ipv4();
      if (own.isEmpty()) {
        throw new IllegalArgumentException(
            "peer.prefixes: %s needs an inner address of its family in tun".formatted(each));
      }
      if (each.contains(InetAddress.ofLiteral(own))) {
        throw new IllegalArgumentException(
            "peer.prefixes: %s contains %s, the inner address of this end in tun: give both ends different ones"
                .formatted(each, own));
      }
    }
    if (!peer.dials() && !policy.isEmpty()) {
      throw new IllegalArgumentException(
          "policy must be empty with peer.listen, got %d lines: the end that dials decides about paths for both"
              .formatted(policy.size()));
    }
  }

  private static void checkUnused(Map<String, Boolean> given) {
    List<String> wrong =
        given.entrySet().stream()
            .filter(Map.Entry::getValue)
            .map(Map.Entry::getKey)
            .sorted()
            .toList();
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(
          "%s must not be given with peer.key: a tunnel to a peer has no SNAPT, and does not carry the traffic to the Internet"
              .formatted(String.join(", ", wrong)));
    }
  }

  private static void checkResolver(String text, TunSettings tun) {
    InetAddress address;
    try {
      address = InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException _) {
      throw new IllegalArgumentException(
          "dns must be a list of IP addresses, got '"
              + text
              + "': no resolver is there yet to ask");
    }
    if (address.isLoopbackAddress()
        || address.isLinkLocalAddress()
        || address.isAnyLocalAddress()
        || address.isMulticastAddress()) {
      throw new IllegalArgumentException(
          "dns must name hosts beyond the tunnel, got '" + text + "'");
    }
    if ((address instanceof Inet4Address ? tun.ipv4() : tun.ipv6()).isEmpty()) {
      throw new IllegalArgumentException(
          "dns: '" + text + "' needs an inner address of its family in tun");
    }
  }

  /// Returns the resolvers of the key `dns`.
  List<InetAddress> resolvers() {
    return dns.stream().map(InetAddress::ofLiteral).toList();
  }

  /// Returns the networks to which routes of the main table are followed.
  List<AddressPrefix> followedNetworks() {
    return Stream.concat(routing.local().stream(), splitTunnel.prefixes().stream()).toList();
  }

  /// Returns the address at which the agent answers for a captive portal's name.
  InetSocketAddress portalResolver() {
    String own = tun.ipv4().isEmpty() ? tun.ipv6() : tun.ipv4();
    return new InetSocketAddress(InetAddress.ofLiteral(own), DNS_PORT);
  }

  /// Returns the limits that this end offers.
  TunnelLimits limits() {
    TunnelLimits own = tunnel.limits();
    return peer.enabled() ? own.with(Feature.MEASUREMENTS) : own;
  }

  /// Returns the part of the Hello that is the same on every connection.
  ///
  /// @param applications application names, by the index that OPEN carries
  Greeting greeting(List<String> applications) {
    return new Greeting(
        AeadPreference.order(tunnel.aead()),
        applications,
        limits(),
        tun.ipv4(),
        tun.ipv6(),
        "viaduct cnapt " + ProcessMetrics.versionOf(CnaptConfiguration.class),
        peer.enabled());
  }
}
