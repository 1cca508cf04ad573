package io.viaduct.snapt.egress;

import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.snapt.group.Host;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.napt.SharedAddresses;
import io.viaduct.snapt.relay.InternetPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The host's part of the connection to the Internet: a TUN device with the pool's prefixes, IP
/// forwarding, and masquerading in an own nftables table. [#close] removes the device and the
/// table. Forwarding stays on, because other software may rely on it by then.
public final class Egress implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Egress.class);
  private static final int OWN_SLOT = 1;
  private static final Path IPV6 = Path.of("/proc/sys/net/ipv6");

  private final TunDevice device;
  private final String table;
  private boolean masquerading;

  private Egress(TunDevice device) {
    this.device = device;
    this.table = "viaduct_" + device.name().replace('-', '_');
  }

  /// Creates the TUN device and prepares the host.
  ///
  /// @param queues one per event loop
  /// @param mtu largest inner packet, in bytes
  /// @param opened addresses of this host that devices may reach; EgressPolicy checks the ports
  /// @param dataPort UDP port of the tunnel, which devices reach for their neighbours; 0: any free
  /// @throws IOException if the host lacks something; the message says what to do
  public static Egress open(
      String tun,
      int queues,
      int mtu,
      AddressPool pool,
      Switch masquerade,
      Switch forwarding,
      List<Prefix> opened,
      int dataPort)
      throws IOException {
    Egress egress = new Egress(TunDevice.open(new TunSettings(tun, queues)));
    boolean complete = false;
    try {
      egress.address(pool, mtu);
      forward("/proc/sys/net/ipv4/ip_forward", forwarding);
      if (hasIpv6(egress.device.name())) {
        forward("/proc/sys/net/ipv6/conf/all/forwarding", forwarding);
      }
      egress.masquerade(pool, masquerade, opened, dataPort);
      complete = true;
      return egress;
    } finally {
      if (!complete) {
        egress.close();
      }
    }
  }

  private void address(AddressPool pool, int mtu) throws IOException {
    String name = device.name();
    // Without this, the kernel would generate a link-local address and send announcements into the
    // tunnel.
    if (Files.exists(IPV6)) {
      HostCommand.run("", "ip", "link", "set", "dev", name, "addrgenmode", "none");
    }
    HostCommand.run("", "ip", "link", "set", "dev", name, "mtu", String.valueOf(mtu), "up");
    String ipv4 = pool.ipv4().address(OWN_SLOT) + "/" + pool.ipv4().length();
    String ipv6 = pool.ipv6().address(OWN_SLOT) + "/" + pool.ipv6().length();
    HostCommand.run("", "ip", "address", "add", ipv4, "dev", name);
    if (hasIpv6(name)) {
      HostCommand.run("", "ip", "-6", "address", "add", ipv6, "dev", name, "nodad");
    } else {
      LOG.warn("IPv6 is disabled on {}: devices reach the Internet by IPv4 only", name);
    }
  }

  private static boolean hasIpv6(String name) throws IOException {
    Path disabled = IPV6.resolve("conf").resolve(name).resolve("disable_ipv6");
    return Files.exists(disabled) && Files.readString(disabled).strip().equals("0");
  }

  private static void forward(String key, Switch forwarding) throws IOException {
    Path file = Path.of(key);
    if (forwarding == Switch.OFF || Files.readString(file).strip().equals("1")) {
      return;
    }
    try {
      Files.writeString(file, "1");
    } catch (IOException e) {
      if (forwarding == Switch.ON) {
        throw new IOException(key + " must be 1 and cannot be set here: " + e.getMessage(), e);
      }
      LOG.warn("{} is 0 and cannot be set here: packets to the Internet will not leave", key);
    }
  }

  private void masquerade(AddressPool pool, Switch wanted, List<Prefix> opened, int dataPort)
      throws IOException {
    if (wanted == Switch.OFF) {
      LOG.info("no masquerading: the network must route {} and {} here", pool.ipv4(), pool.ipv6());
      return;
    }
    try {
      HostCommand.run(rules(pool, opened, dataPort), "nft", "-f", "-");
      masquerading = true;
    } catch (IOException e) {
      if (wanted == Switch.ON) {
        throw e;
      }
      LOG.warn(
          "no masquerading, the network must route {} and {} here: {}",
          pool.ipv4(),
          pool.ipv6(),
          e.getMessage());
    }
  }

  // The input chain protects the host's own addresses. EgressPolicy refuses and counts such packets
  // earlier, but learns of a new address only seconds later. The table is declared, deleted and
  // declared again, so that the same transaction replaces a table that a killed process left.
  //
  // The maps hold the shared addresses by their aliases (Hairpin). A packet from an alias that
  // matches no connection would reach the host itself, also at an opened address: it is dropped
  // first. The kernel would tell devices to send directly to each other (ICMP redirect). Who sends
  // with an address of the pool from elsewhere would pass for the session that has it.
  private String rules(AddressPool pool, List<Prefix> opened, int dataPort) {
    String accepted =
        opened.stream()
            .map(address ->
                "iifname \"%s\" %s daddr %s accept; "
                    .formatted(device.name(), address.ipv6() ? "ip6" : "ip", address))
            .collect(Collectors.joining());
    String tunnel =
        dataPort == 0
            ? ""
            : "iifname \"%s\" udp dport %d accept; ".formatted(device.name(), dataPort);
    return """
    table inet %1$s {}
    delete table inet %1$s
    table inet %1$s {
      map shared4 { type ipv4_addr : ipv4_addr; }
      map shared6 { type ipv6_addr : ipv6_addr; }
      chain postrouting {
        type nat hook postrouting priority srcnat; policy accept;
        oifname "%4$s" snat ip to ip daddr map @shared4
        oifname "%4$s" snat ip6 to ip6 daddr map @shared6
        ip saddr %2$s oifname != "%4$s" masquerade
        ip6 saddr %3$s oifname != "%4$s" masquerade
      }
      chain input {
        type filter hook input priority filter; policy accept;
        %7$s%5$s%6$siifname "%4$s" counter drop
        iifname "lo" accept
        ip saddr %2$s counter drop
        ip6 saddr %3$s counter drop
      }
      chain output {
        type filter hook output priority filter; policy accept;
        oifname "%4$s" icmp type redirect drop
      }
    }
    """
        .formatted(table, pool.ipv4(), pool.ipv6(), device.name(), accepted, tunnel, unasked(pool));
  }

  private String unasked(AddressPool pool) {
    return pool.aliasRange(false).isEmpty()
        ? ""
        : "iifname \"%1$s\" ip saddr %2$s counter drop; iifname \"%1$s\" ip6 saddr %3$s counter drop; "
            .formatted(device.name(), pool.aliasRange(false), pool.aliasRange(true));
  }

  /// Tells the kernel the public addresses that the sessions share, with their aliases. Blocks.
  ///
  /// @return false if the kernel has refused them, which is logged
  public boolean share(SharedAddresses addresses) {
    StringBuilder text = new StringBuilder();
    for (String map : List.of("shared4", "shared6")) {
      text.append("flush map inet %s %s\n".formatted(table, map));
      String elements =
          addresses.all().stream()
              .filter(each -> each.ipv6() == map.endsWith("6"))
              .map(each -> each.alias() + " : " + each.address())
              .collect(Collectors.joining(", "));
      if (!elements.isEmpty()) {
        text.append("add element inet %s %s { %s }\n".formatted(table, map, elements));
      }
    }
    try {
      HostCommand.run(text.toString(), "nft", "-f", "-");
      return true;
    } catch (IOException e) {
      LOG.warn("two devices cannot call each other through this SNAPT: {}", e.getMessage());
      return false;
    }
  }

  /// Returns the routes of single addresses to the TUN device and away from it.
  ///
  /// @throws IOException if the kernel's settings cannot be read or written
  public Host routes() throws IOException {
    Path filters = Path.of("/proc/sys/net/ipv4/conf");
    String all = Files.readString(filters.resolve("all/rp_filter"));
    Files.writeString(filters.resolve(device.name()).resolve("rp_filter"), sourceCheck(all));
    return new HostRoutes(device.name(), hasIpv6(device.name()));
  }

  /// Returns the check of sources (`rp_filter`, RFC 3704) that packets of the TUN device pass
  /// although their address is not routed here: the first packets of a session that moves here
  /// leave before its route is set, and those under way from a session that has left come after it
  /// has gone. The SNAPT itself lets only the session's address pass. 0 is none, and the greater
  /// one of this and of that of all devices counts. If that one is above 0, the loose check (2) is
  /// left, which drops a packet unless the host has any route to its source.
  ///
  /// @param all the kernel's setting for all devices
  static String sourceCheck(String all) {
    return all.strip().equals("0") ? "0" : "2";
  }

  /// Returns one port per event loop.
  public List<InternetPort> ports() {
    return device.queues().stream().<InternetPort>map(TunPort::new).toList();
  }

  /// Returns true if the host masquerades the pool's addresses as its own.
  public boolean isMasquerading() {
    return masquerading;
  }

  /// Closes the device, which also removes its addresses and routes, and removes the nftables
  /// table.
  @Override
  public void close() {
    device.close();
    if (masquerading) {
      try {
        HostCommand.run("", "nft", "delete", "table", "inet", table);
      } catch (IOException e) {
        LOG.warn("table {} stays behind: {}", table, e.getMessage());
      }
    }
  }
}
