package io.viaduct.testbed.topology;

import io.viaduct.testbed.topology.LinkPlan.Family;
import java.util.List;
import java.util.Set;

/// Describes the network that [Topology] builds.
///
/// @param devices how many, 1 to 8; each has all links
/// @param links in the order of preference: the first has the lowest route metric
/// @param seed of the weather
/// @param snapts hosts for SNAPTs, 2 to 40
public record NetworkPlan(int devices, List<LinkPlan> links, long seed, int snapts) {
  private static final int DEVICES_MAX = 8;
  private static final int SNAPTS = 2;
  private static final int SNAPTS_MAX = 40; // their addresses end before the server's

  /// One device with two fast links of IPv4: the network of benchmarks.
  public static final NetworkPlan STANDARD = standard(false);

  /// The standard network with weather on both cables.
  public static final NetworkPlan CHANGEABLE = standard(true);

  /// The network of the demonstration: another device beside, and a host for its SNAPT.
  public static final NetworkPlan DEMONSTRATION = new NetworkPlan(2, CHANGEABLE.links(), 0, 3);

  public NetworkPlan {
    links = List.copyOf(links);
    if (devices < 1 || devices > DEVICES_MAX) {
      throw new IllegalArgumentException(
          "devices is %d: it must be from 1 to %d".formatted(devices, DEVICES_MAX));
    }
    if (snapts < SNAPTS || snapts > SNAPTS_MAX) {
      throw new IllegalArgumentException(
          "snapts is %d: it must be from %d to %d".formatted(snapts, SNAPTS, SNAPTS_MAX));
    }
    if (links.isEmpty()) {
      throw new IllegalArgumentException("there is no link: name at least one, such as A");
    }
    for (int at = 0; at < links.size(); at++) {
      checkLink(links.get(at), links.subList(0, at));
    }
  }

  /// Describes a network with hosts for two SNAPTs.
  public NetworkPlan(int devices, List<LinkPlan> links, long seed) {
    this(devices, links, seed, SNAPTS);
  }

  /// Returns the same network with hosts for more SNAPTs.
  public NetworkPlan withSnapts(int count) {
    return new NetworkPlan(devices, links, seed, count);
  }

  private static void checkLink(LinkPlan link, List<LinkPlan> before) {
    if (before.stream().anyMatch(other -> other.name().equals(link.name()))) {
      throw new IllegalArgumentException("link %s is named twice".formatted(link.name()));
    }
    boolean isFirst = link.subnetOf().equals(link.name());
    LinkPlan first =
        before.stream()
            .filter(other -> other.name().equals(link.subnetOf()))
            .findFirst()
            .orElse(link);
    if (!isFirst && (first == link || !first.subnetOf().equals(first.name()))) {
      throw new IllegalArgumentException(
          "link %s shares the subnet of '%s', which must be an earlier link with a subnet of its own"
              .formatted(link.name(), link.subnetOf()));
    }
    if (!first.families().equals(link.families())) {
      throw new IllegalArgumentException(
          "links %s and %s share a subnet: they must have the same address families"
              .formatted(first.name(), link.name()));
    }
  }

  private static NetworkPlan standard(boolean hasWeather) {
    Set<Family> families = Set.of(Family.IPV4);
    return new NetworkPlan(
        1,
        List.of(
            new LinkPlan("A", families, hasWeather, "A"),
            new LinkPlan("B", families, hasWeather, "B")),
        0);
  }

  /// Returns a link.
  ///
  /// @throws IllegalArgumentException with the names that exist
  public LinkPlan link(String name) {
    return links.stream()
        .filter(link -> link.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "there is no link '%s'; there is: %s"
                    .formatted(
                        name, String.join(", ", links.stream().map(LinkPlan::name).toList()))));
  }

  /// Returns the number of a link, from 1.
  int number(LinkPlan link) {
    return links.indexOf(link) + 1;
  }

  /// Returns the metric of a link's default routes.
  public int metric(LinkPlan link) {
    return 100 * number(link);
  }

  /// Returns the links and gateways of the subnet that begins with this link.
  List<LinkPlan> subnet(LinkPlan first) {
    return links.stream().filter(link -> link.subnetOf().equals(first.name())).toList();
  }

  /// Returns true if the link's subnet has more than one device or gateway, which then meet at a
  /// switch.
  boolean hasSwitch(LinkPlan link) {
    return devices > 1 || subnet(link(link.subnetOf())).size() > 1;
  }

  /// Returns the name of a device's namespace.
  ///
  /// @param device from 1
  static String deviceName(int device) {
    return device == 1 ? "device" : "device-" + device;
  }

  /// Returns the address of the link's gateway on its subnet.
  public String gatewayAddress(LinkPlan link, Family family) {
    return address(link, family, link.subnetOf().equals(link.name()) ? 1 : 240 + number(link));
  }

  /// Returns the address of a device on a link.
  ///
  /// @param device from 1
  public String deviceAddress(int device, LinkPlan link, Family family) {
    int own = link.subnetOf().equals(link.name()) ? 0 : 20 * number(link);
    return address(link, family, 1 + device + own);
  }

  private String address(LinkPlan link, Family family, int host) {
    int subnet = number(link(link.subnetOf()));
    // Hexadecimal digits that look like the decimal host: 241 becomes ::241.
    return family == Family.IPV4
        ? "10.71.%d.%d".formatted(subnet, host)
        : "2001:db8:71:%d::%d".formatted(subnet, host); // RFC 3849
  }
}
