package io.viaduct.testbed.topology;

import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.weather.TapPort;
import io.viaduct.testbed.weather.WeatheredLink;
import java.util.Locale;
import java.util.Optional;

/// One access link of [Topology]: its devices, addresses and routes.
final class AccessLink {
  private final NetworkPlan plan;
  private final LinkPlan link;

  AccessLink(NetworkPlan plan, LinkPlan link) {
    this.plan = plan;
    this.link = link;
  }

  static String switchName(LinkPlan first) {
    return "switch-" + first.name().toLowerCase(Locale.ROOT);
  }

  /// Makes the switch of a subnet. Without snooping it floods multicast, so neighbours are found at
  /// once.
  static NetworkNamespace newSwitch(LinkPlan first) {
    var hub = NetworkNamespace.create(switchName(first));
    hub.ip("link add lan type bridge mcast_snooping 0\nlink set lan up");
    return hub;
  }

  void joinSwitch(NetworkNamespace gateway, NetworkNamespace hub) {
    hub.ip(
        "link add %1$s type veth peer name access netns %1$s\nlink set %1$s master lan up"
            .formatted(gateway.name()));
  }

  /// Joins a device and the other end of its cable.
  ///
  /// @param port of the other end
  /// @return the cable, if it has weather
  Optional<WeatheredCable> join(NetworkNamespace device, NetworkNamespace far, String port) {
    if (!link.hasWeather()) {
      device.ip(
          "link add %s type veth peer name %s netns %s".formatted(link.device(), port, far.name()));
      return Optional.empty();
    }
    TapPort near = device.call(() -> TapPort.open(link.device()));
    TapPort other = far.call(() -> TapPort.open(port));
    device.ip("link set %s txqueuelen %d".formatted(link.device(), TapPort.QUEUE_FRAMES));
    far.ip("link set %s txqueuelen %d".formatted(port, TapPort.QUEUE_FRAMES));
    var weathered =
        new WeatheredLink(device.name(), link.name(), near, other, plan.seed(), System::nanoTime);
    return Optional.of(new WeatheredCable(link, device, far, port, weathered));
  }

  void configureGateway(NetworkNamespace gateway) {
    for (Family family : link.families()) {
      String address = plan.gatewayAddress(link, family);
      gateway.ip("addr add %s dev access%s".formatted(sized(address, family), noDad(family)));
    }
    gateway.ip("link set access up");
  }

  /// Brings a device's link up, with its addresses and its default routes.
  void connect(int number, NetworkNamespace device) {
    if (plan.subnet(plan.link(link.subnetOf())).size() > 1) {
      // Otherwise each link would answer ARP for the other link's address (arp_ignore, ip-sysctl).
      device.sysctl("net.ipv4.conf.all.arp_ignore", "1");
      device.sysctl("net.ipv4.conf.all.arp_announce", "2");
    }
    for (Family family : link.families()) {
      String address = plan.deviceAddress(number, link, family);
      // The kernel removes IPv6 addresses from a link that goes down.
      device.ip(
          """
          addr replace %1$s dev %2$s%3$s
          link set %2$s up
          route replace default via %4$s dev %2$s metric %5$d
          """
              .formatted(
                  sized(address, family),
                  link.device(),
                  noDad(family),
                  plan.gatewayAddress(link, family),
                  plan.metric(link)));
    }
  }

  private static String sized(String address, Family family) {
    return address + (family == Family.IPV4 ? "/24" : "/64");
  }

  private static String noDad(Family family) {
    return family == Family.IPV6 ? " nodad" : "";
  }

  /// Returns the subnet of an address.
  static String prefix(String address, Family family) {
    return family == Family.IPV4
        ? address.substring(0, address.lastIndexOf('.')) + ".0/24"
        : address.substring(0, address.lastIndexOf(':') + 1) + "/64";
  }
}
