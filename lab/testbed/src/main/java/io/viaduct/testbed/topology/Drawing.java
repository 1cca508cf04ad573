package io.viaduct.testbed.topology;

import io.viaduct.testbed.topology.LinkPlan.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Draws a network as a tree, from the core to the devices.
final class Drawing {
  private final Topology topology;
  private final NetworkPlan plan;

  Drawing(Topology topology) {
    this.topology = topology;
    plan = topology.plan();
  }

  @Override
  public String toString() {
    var text =
        new StringBuilder(
            "  core %s0/24, %s/64\n".formatted(Topology.CORE_NETWORK, Topology.CORE_6));
    text.append("  ├─ control .5, ");
    for (int number = 1; number <= plan.snapts(); number++) {
      text.append("snapt-%d .%d, ".formatted(number, Topology.hostOfSnapt(number)));
    }
    text.append("server .80; this program .1\n");
    List<LinkPlan> firsts =
        plan.links().stream().filter(link -> link.subnetOf().equals(link.name())).toList();
    for (LinkPlan first : firsts) {
      boolean isLast = first.equals(firsts.getLast());
      subnet(text, first, isLast ? "  └─ " : "  ├─ ", isLast ? "     " : "  │  ");
    }
    text.append("  ═══ cable, ≈≈≈ cable with weather\n");
    return text.toString();
  }

  private void subnet(StringBuilder text, LinkPlan first, String branch, String indent) {
    List<LinkPlan> links = plan.subnet(first);
    for (LinkPlan link : links) {
      text.append(link.equals(first) ? branch : indent).append(gateway(link)).append('\n');
    }
    String trunk = indent;
    if (plan.hasSwitch(first)) {
      text.append(indent).append("└─ ").append(AccessLink.switchName(first)).append('\n');
      trunk = indent + "   ";
    }
    List<String> cables = cables(links);
    for (int at = 0; at < cables.size(); at++) {
      text.append(trunk)
          .append(at == cables.size() - 1 ? "└" : "├")
          .append(cables.get(at))
          .append('\n');
    }
  }

  private List<String> cables(List<LinkPlan> links) {
    var cables = new ArrayList<String>();
    for (int number = 1; number <= plan.devices(); number++) {
      for (LinkPlan link : links) {
        int device = number;
        cables.add(
            (link.hasWeather() ? "≈≈≈ %s ≈≈≈ %s %s" : "═══ %s ═══ %s %s")
                .formatted(
                    link.device(),
                    NetworkPlan.deviceName(device),
                    addresses(link, family -> plan.deviceAddress(device, link, family))));
      }
    }
    return cables;
  }

  private String gateway(LinkPlan link) {
    String ways =
        sorted(link).stream()
            .map(family ->
                (family == Family.IPV4 ? "IPv4 " : "IPv6 ")
                    + (topology.isMasquerading(family) ? "masquerades" : "routes"))
            .collect(Collectors.joining(", "));
    return "%s .%d: access %s (%s)"
        .formatted(
            link.gateway(),
            10 + plan.number(link),
            addresses(link, family -> plan.gatewayAddress(link, family)),
            ways);
  }

  private static String addresses(
      LinkPlan link, java.util.function.Function<Family, String> address) {
    return sorted(link).stream().map(address).collect(Collectors.joining(", "));
  }

  private static List<Family> sorted(LinkPlan link) {
    return link.families().stream().sorted().toList();
  }
}
