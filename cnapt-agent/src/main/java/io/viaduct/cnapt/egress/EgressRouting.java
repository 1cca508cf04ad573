package io.viaduct.cnapt.egress;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Addresses of the TUN and the policy routing around it (docs/adr/0010), per family:
///
///     priority p      from all lookup main suppress_prefixlength 0     connected networks stay direct
///     priority p + 1  not from all fwmark M lookup T                   the agent's own sockets stay direct
///     table T         default dev TUN                                  everything else enters the tunnel
///
/// What a killed agent has left behind is found by priority, mark and table, and replaced. Blocking;
/// for the thread that starts and stops the agent.
public final class EgressRouting implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EgressRouting.class);
  private static final Path IPV4_SETTINGS = Path.of("/proc/sys/net/ipv4/conf");
  private static final String STRICT = "1";

  // The kernel's 500 lost packets of a 6000 packets/s stream whenever the agent was off its
  // processor for 80 ms. A TCP sender never fills it: its own limit on queued bytes comes first.
  private static final int QUEUE_PACKETS = 2000;

  private final RoutingSettings routing;
  private final List<AddressFamily> families;
  private final String device;
  private volatile int mtu; // written by the thread that sets it

  private EgressRouting(
      RoutingSettings routing, List<AddressFamily> families, String device, int mtu) {
    this.routing = routing;
    this.families = families;
    this.device = device;
    this.mtu = mtu;
  }

  /// Gives the TUN its addresses and MTU and leads the traffic there.
  ///
  /// @param device name of a TUN that exists
  /// @param mtu of the TUN, bytes
  /// @throws IOException if the kernel refuses; whatever was set by then has been removed
  public static EgressRouting lead(TunSettings tun, String device, int mtu, RoutingSettings routing)
      throws IOException {
    EgressRouting egress = new EgressRouting(routing, familiesOf(tun), device, mtu);
    boolean complete = false;
    try {
      egress.removeLeftOvers();
      for (AddressFamily family : egress.families) {
        IpCommand.run(family, egress.commands(family, tun));
      }
      egress.warnOfStrictFilters();
      complete = true;
      return egress;
    } finally {
      if (!complete) {
        egress.close();
      }
    }
  }

  /// The MTU that the TUN has now, bytes.
  public int mtu() {
    return mtu;
  }

  /// Gives the TUN another MTU, on a thread of its own: the caller may be an event loop.
  public void fit(int bytes) {
    if (bytes != mtu) {
      Thread.ofPlatform().name("mtu").start(() -> mtu(bytes));
    }
  }

  private void mtu(int bytes) {
    try {
      IpCommand.run(AddressFamily.IPV4, List.of("link set dev " + device + " mtu " + bytes));
      mtu = bytes;
    } catch (IOException e) {
      LOG.error("the TUN keeps its MTU, larger packets are refused: {}", e.toString());
    }
  }

  private static List<AddressFamily> familiesOf(TunSettings tun) {
    List<AddressFamily> families = new ArrayList<>();
    if (!tun.ipv4().isEmpty()) {
      families.add(AddressFamily.IPV4);
    }
    if (!tun.ipv6().isEmpty()) {
      if (AddressFamily.IPV6.onThisHost()) {
        families.add(AddressFamily.IPV6);
      } else {
        LOG.info("this host has no IPv6: the tunnel carries IPv4 only");
      }
    }
    return families;
  }

  private List<String> commands(AddressFamily family, TunSettings tun) {
    List<String> commands = new ArrayList<>();
    // addrgenmode none: no link-local address, so no router solicitations into the tunnel.
    if (AddressFamily.IPV6.onThisHost()) {
      commands.add("link set dev " + device + " addrgenmode none");
    }
    commands.add("link set dev " + device + " mtu " + mtu + " txqueuelen " + QUEUE_PACKETS + " up");
    String address = family == AddressFamily.IPV4 ? tun.ipv4() + "/32" : tun.ipv6() + "/128 nodad";
    commands.add("address replace " + address + " dev " + device);
    if (routing.enabled()) {
      commands.add("route replace default dev " + device + " table " + routing.table());
      rules().forEach(rule -> commands.add("rule add " + rule));
    }
    return commands;
  }

  private List<String> rules() {
    return List.of(
        "priority " + routing.priority() + " from all lookup main suppress_prefixlength 0",
        "priority %d not from all fwmark %d lookup %d"
            .formatted(routing.priority() + 1, routing.mark(), routing.table()));
  }

  private void removeLeftOvers() throws IOException {
    if (!routing.enabled()) {
      return;
    }
    for (AddressFamily family : families) {
      List<String> commands = new ArrayList<>();
      // Twice: a start that raced another one may have left each rule twice, never more.
      for (int time = 0; time < 2; time++) {
        rules().forEach(rule -> commands.add("rule del " + rule));
      }
      commands.add("route flush table " + routing.table());
      IpCommand.runAnyway(family, commands);
    }
  }

  // RFC 3704 strict mode looks the sender up without the mark, finds the TUN and drops the answer.
  private void warnOfStrictFilters() {
    if (!routing.enabled() || STRICT.equals(read(IPV4_SETTINGS.resolve("all/src_valid_mark")))) {
      return;
    }
    try (DirectoryStream<Path> interfaces = Files.newDirectoryStream(IPV4_SETTINGS)) {
      for (Path each : interfaces) {
        if (STRICT.equals(read(each.resolve("rp_filter")))) {
          LOG.warn(
              "{}/rp_filter is 1 (strict), answers to the agent may be dropped: set it to 2 (loose)",
              each);
        }
      }
    } catch (IOException e) {
      LOG.debug("{} cannot be listed: {}", IPV4_SETTINGS, e.toString());
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException _) {
      return ""; // a kernel without the setting
    }
  }

  /// Removes rules and routes; the addresses go with the TUN.
  @Override
  public void close() {
    try {
      removeLeftOvers();
    } catch (IOException e) {
      LOG.error("rules and routes stay behind, the next start replaces them: {}", e.toString());
    }
  }
}
