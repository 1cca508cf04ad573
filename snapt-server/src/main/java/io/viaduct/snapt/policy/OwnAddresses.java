package io.viaduct.snapt.policy;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.snapt.napt.Prefix;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Updates [EgressPolicy] with the addresses that devices must never reach. These are the addresses
/// of this host's interfaces, of `control.host` and of the bridge. A NAT in front of the host may
/// hold the address of `control.host`, and its hairpinning leads back here. Tells the public ones
/// among them, which devices share. Checks every ten seconds, on its own thread.
public final class OwnAddresses implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OwnAddresses.class);
  private static final int LOOK_SECONDS = 10;

  private final EgressPolicy policy;
  private final String tun;
  private final String controlHost;
  private final String bridgeHost;
  private final Offer<Set<InetAddress>> shared;
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("own-addresses", true));
  private Set<Prefix> named = Set.of();
  private Set<Prefix> bridge = Set.of();

  /// @param controlHost host name under which devices reach this SNAPT
  /// @param bridgeHost host name of the bridge
  /// @param tun name of the TUN device, whose addresses are not public
  /// @param shared takes the public addresses of the interfaces when they change. If it returns
  ///   false, it gets them again with the next checks
  public OwnAddresses(
      EgressPolicy policy,
      String controlHost,
      String bridgeHost,
      String tun,
      Predicate<Set<InetAddress>> shared) {
    this.policy = policy;
    this.tun = tun;
    this.shared = new Offer<>(shared);
    this.controlHost = controlHost;
    this.bridgeHost = bridgeHost;
  }

  /// Reads the interfaces once on the caller's thread, so that no packet is carried before. Then
  /// resolves the names on the own thread, and repeats both every ten seconds.
  public void start() {
    interfaces();
    looking.scheduleWithFixedDelay(this::look, 0, LOOK_SECONDS, TimeUnit.SECONDS);
  }

  private void look() {
    try {
      named = addressesOf(controlHost, named);
      bridge = addressesOf(bridgeHost, bridge);
      policy.bridge(bridge);
      interfaces();
    } catch (RuntimeException e) {
      // An uncaught exception would end the schedule silently.
      LOG.error("the SNAPT's own addresses cannot be updated", e);
    }
  }

  private void interfaces() {
    Set<Prefix> own = new LinkedHashSet<>(named);
    Set<InetAddress> open = new LinkedHashSet<>();
    try {
      for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
        each.getInterfaceAddresses().forEach(address -> own.addAll(reachedBy(address)));
        if (!each.getName().equals(tun)) {
          each.inetAddresses().filter(this::isPublic).forEach(open::add);
        }
      }
      policy.own(own);
      if (shared.offer(open)) {
        LOG.error(
            "the public addresses {} were refused {} times: not tried again until they change",
            open,
            Offer.ATTEMPTS_MAX);
      }
    } catch (SocketException e) {
      LOG.warn("this machine's interfaces cannot be listed: {}", String.valueOf(e.getMessage()));
    }
  }

  private boolean isPublic(InetAddress address) {
    return !address.isLoopbackAddress()
        && !address.isLinkLocalAddress()
        && !policy.hides(Prefix.host(address));
  }

  /// Returns the addresses for which an interface accepts packets: its own address, and the first
  /// and last address of its network. In IPv6, the first is the subnet-router anycast address (RFC
  /// 4291 section 2.6.1). In IPv4, the last is the broadcast address, which the kernel accepts even
  /// if it is not configured.
  static List<Prefix> reachedBy(InterfaceAddress address) {
    InetAddress own = address.getAddress();
    int length = address.getNetworkPrefixLength();
    boolean ipv6 = own instanceof Inet6Address;
    List<Prefix> reached = new ArrayList<>(List.of(Prefix.host(own)));
    if (length > 0 && length < (ipv6 ? 127 : 31)) {
      Prefix network = Prefix.around(own, length);
      reached.add(network.host(0));
      if (!ipv6) {
        reached.add(network.host((1L << network.hostBits()) - 1));
      }
    }
    return reached;
  }

  private static Set<Prefix> addressesOf(String host, Set<Prefix> before) {
    try {
      Set<Prefix> found = new LinkedHashSet<>();
      for (InetAddress address : InetAddress.getAllByName(host)) {
        if (!address.isLoopbackAddress()) {
          found.add(Prefix.host(address));
        }
      }
      return found;
    } catch (UnknownHostException _) {
      return before; // if name resolution fails, the last known addresses stay protected
    }
  }

  @Override
  public void close() {
    looking.shutdownNow();
  }
}
