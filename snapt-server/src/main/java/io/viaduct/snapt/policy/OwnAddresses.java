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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps [EgressPolicy] told of the addresses that devices must never reach: those of this
/// machine's interfaces, those that `control.host` names (a NAT in front may hold them: its hairpin
/// leads back here), and those of the bridge. Looks every ten seconds, on a thread of its own.
public final class OwnAddresses implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OwnAddresses.class);
  private static final int LOOK_SECONDS = 10;

  private final EgressPolicy policy;
  private final String controlHost;
  private final String bridgeHost;
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("own-addresses", true));
  private Set<Prefix> named = Set.of();
  private Set<Prefix> bridge = Set.of();

  /// @param controlHost name that devices reach this SNAPT by
  /// @param bridgeHost name of the bridge
  public OwnAddresses(EgressPolicy policy, String controlHost, String bridgeHost) {
    this.policy = policy;
    this.controlHost = controlHost;
    this.bridgeHost = bridgeHost;
  }

  /// Looks at the interfaces once on the caller's thread, so that nothing is carried before; names
  /// follow at once, and everything again every ten seconds.
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
      // An exception would silently end the schedule.
      log.error("the SNAPT's own addresses are not looked at", e);
    }
  }

  private void interfaces() {
    Set<Prefix> own = new LinkedHashSet<>(named);
    try {
      for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
        each.getInterfaceAddresses().forEach(address -> own.addAll(reachedBy(address)));
      }
      policy.own(own);
    } catch (SocketException e) {
      log.warn("this machine's interfaces cannot be listed: {}", String.valueOf(e.getMessage()));
    }
  }

  /// The addresses by which an interface takes packets: its own, the first of its network (IPv6:
  /// the subnet-router anycast address of RFC 4291 section 2.6.1) and the last (IPv4: broadcast,
  /// which the kernel takes also where nobody has configured it).
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
      return before; // a resolver that is away takes nothing from what is protected
    }
  }

  @Override
  public void close() {
    looking.shutdownNow();
  }
}
