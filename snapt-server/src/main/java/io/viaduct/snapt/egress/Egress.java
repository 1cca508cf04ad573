package io.viaduct.snapt.egress;

import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.snapt.Switch;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.relay.InternetPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The machine's side of the way out: a TUN device that holds the pool's prefixes, IP forwarding,
/// and masquerading in an nftables table of its own. What it makes it removes; forwarding stays on,
/// because nobody knows who else relies on it by then.
public final class Egress implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Egress.class);
  private static final int OWN_SLOT = 1;
  private static final Path IPV6 = Path.of("/proc/sys/net/ipv6");

  private final TunDevice device;
  private final String table;
  private boolean masquerading;

  private Egress(TunDevice device) {
    this.device = device;
    this.table = "viaduct_" + device.name().replace('-', '_');
  }

  /// Makes the device and prepares the machine.
  ///
  /// @param queues one per event loop
  /// @param mtu of the inner packets
  /// @param opened addresses of this machine that devices may reach; EgressPolicy judges their
  ///   ports
  /// @throws IOException naming what is missing and what to do
  public static Egress open(
      String tun,
      int queues,
      int mtu,
      AddressPool pool,
      Switch masquerade,
      Switch forwarding,
      List<Prefix> opened)
      throws IOException {
    Egress egress = new Egress(TunDevice.open(new TunSettings(tun, queues)));
    boolean complete = false;
    try {
      egress.address(pool, mtu);
      forward("/proc/sys/net/ipv4/ip_forward", forwarding);
      if (hasIpv6(egress.device.name())) {
        forward("/proc/sys/net/ipv6/conf/all/forwarding", forwarding);
      }
      egress.masquerade(pool, masquerade, opened);
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
    // No address of the kernel's own making: it would announce itself into the tunnel.
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
      log.warn("IPv6 is disabled on {}: devices reach the Internet by IPv4 only", name);
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
      log.warn("{} is 0 and cannot be set here: packets to the Internet will not leave", key);
    }
  }

  private void masquerade(AddressPool pool, Switch wanted, List<Prefix> opened) throws IOException {
    if (wanted == Switch.OFF) {
      log.info("no masquerading: the network must route {} and {} here", pool.ipv4(), pool.ipv6());
      return;
    }
    try {
      HostCommand.run(rules(pool, opened), "nft", "-f", "-");
      masquerading = true;
    } catch (IOException e) {
      if (wanted == Switch.ON) {
        throw e;
      }
      log.warn(
          "no masquerading, the network must route {} and {} here: {}",
          pool.ipv4(),
          pool.ipv6(),
          e.getMessage());
    }
  }

  // The machine itself takes nothing else from devices, whatever its addresses are now:
  // EgressPolicy refuses it before and counts it, but learns of a new address seconds later.
  // The table is declared, deleted and declared again, so that one that a killed process left
  // behind
  // is replaced in the same transaction.
  private String rules(AddressPool pool, List<Prefix> opened) {
    String accepted =
        opened.stream()
            .map(address ->
                "iifname \"%s\" %s daddr %s accept; "
                    .formatted(device.name(), address.ipv6() ? "ip6" : "ip", address))
            .collect(Collectors.joining());
    return """
    table inet %1$s {}
    delete table inet %1$s
    table inet %1$s {
      chain postrouting {
        type nat hook postrouting priority srcnat; policy accept;
        ip saddr %2$s oifname != "%4$s" masquerade
        ip6 saddr %3$s oifname != "%4$s" masquerade
      }
      chain input {
        type filter hook input priority filter; policy accept;
        %5$siifname "%4$s" counter drop
      }
    }
    """
        .formatted(table, pool.ipv4(), pool.ipv6(), device.name(), accepted);
  }

  /// One opening per event loop.
  public List<InternetPort> ports() {
    return device.queues().stream().<InternetPort>map(TunPort::new).toList();
  }

  /// Whether the pool is hidden behind the machine's own addresses.
  public boolean masquerading() {
    return masquerading;
  }

  /// Closes the device, with which addresses and routes go, and removes the nftables table.
  @Override
  public void close() {
    device.close();
    if (masquerading) {
      try {
        HostCommand.run("", "nft", "delete", "table", "inet", table);
      } catch (IOException e) {
        log.warn("table {} stays behind: {}", table, e.getMessage());
      }
    }
  }
}
