package io.viaduct.testbed.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.testbed.topology.LinkPlan.Family;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Addresses and rules of a plan.
class NetworkPlanTest {
  private static final Set<Family> BOTH = Set.of(Family.IPV4, Family.IPV6);

  private static LinkPlan link(String name, String subnetOf) {
    return new LinkPlan(name, BOTH, true, subnetOf);
  }

  @Test
  void theStandardPlanKeepsItsAddresses() {
    NetworkPlan plan = NetworkPlan.STANDARD;
    assertThat(plan.gatewayAddress(plan.link("B"), Family.IPV4)).isEqualTo("10.71.2.1");
    assertThat(plan.deviceAddress(1, plan.link("B"), Family.IPV4)).isEqualTo("10.71.2.2");
    assertThat(plan.hasSwitch(plan.link("A"))).isFalse();
  }

  @Test
  void noTwoHostsOfASubnetHaveOneAddress() {
    var plan =
        new NetworkPlan(
            8, List.of(link("A", "A"), link("B", "A"), link("C", "C"), link("D", "C")), 0);
    for (Family family : Family.values()) {
      var addresses = new java.util.ArrayList<String>();
      for (LinkPlan link : plan.links()) {
        addresses.add(plan.gatewayAddress(link, family));
        for (int device = 1; device <= 8; device++) {
          addresses.add(plan.deviceAddress(device, link, family));
        }
      }
      assertThat(addresses).doesNotHaveDuplicates();
    }
  }

  @Test
  void wrongPlansAreRefusedWithValueAndRule() {
    assertThatThrownBy(() -> new NetworkPlan(9, List.of(link("A", "A")), 0))
        .hasMessage("devices is 9: it must be from 1 to 8");
    assertThatThrownBy(() -> new NetworkPlan(1, List.of(), 0)).hasMessageContaining("no link");
    assertThatThrownBy(() -> NetworkPlan.STANDARD.withBridges(6))
        .hasMessage("bridges is 6: it must be from 1 to 5");
    assertThatThrownBy(() -> link("x", "x")).hasMessageContaining("one letter from A to H");
    assertThatThrownBy(() -> new NetworkPlan(1, List.of(link("A", "A"), link("A", "A")), 0))
        .hasMessage("link A is named twice");
    assertThatThrownBy(() -> new NetworkPlan(1, List.of(link("A", "B"), link("B", "B")), 0))
        .hasMessageContaining("an earlier link");
    assertThatThrownBy(() -> NetworkPlan.STANDARD.link("C"))
        .hasMessage("there is no link 'C'; there is: A, B");
  }
}
