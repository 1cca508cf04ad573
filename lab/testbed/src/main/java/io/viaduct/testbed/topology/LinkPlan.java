package io.viaduct.testbed.topology;

import java.util.Set;

/// Describes one access link: each device has it, and it leads to a gateway of its own.
///
/// @param name one capital letter; link `A` is the device `linkA` and leads to `gateway-a`
/// @param families of addresses on the link
/// @param hasWeather true for a pair of TAP devices with impairers; false for a fast veth pair
/// @param subnetOf name of the link whose subnet this link and its gateway share; its own name for
///   a subnet of its own
public record LinkPlan(String name, Set<Family> families, boolean hasWeather, String subnetOf) {
  /// Address family of a link.
  public enum Family {
    IPV4,
    IPV6
  }

  public LinkPlan {
    families = Set.copyOf(families);
    if (!name.matches("[A-H]")) {
      throw new IllegalArgumentException(
          "link '%s': the name of a link must be one letter from A to H".formatted(name));
    }
    if (families.isEmpty()) {
      throw new IllegalArgumentException(
          "link %s has no address family: give it 4, 6 or 46".formatted(name));
    }
  }

  /// Returns the name of the network device, `linkA`.
  public String device() {
    return "link" + name;
  }

  String gateway() {
    return "gateway-" + name.toLowerCase(java.util.Locale.ROOT);
  }

  boolean has(Family family) {
    return families.contains(family);
  }
}
