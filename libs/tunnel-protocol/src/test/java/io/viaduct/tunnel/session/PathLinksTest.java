package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.LinkName;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The names of the device's links: docs/protocol.md section 4.5.
class PathLinksTest {
  // Header, PROBE of a session with several paths, tag.
  private static final int PROBE_BYTES = 8 + 28 + 16;

  // Length and name of wlan0.
  private static final int WLAN0_BYTES = 1 + 5;

  private static byte[] up() {
    return PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53), new byte[900]);
  }

  private static byte[] down() {
    return PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53).reversed(), new byte[900]);
  }

  private static PathsRig named(String first, String second) {
    PathsRig rig = new PathsRig(8, 10, 30);
    rig.agent.link(0, first);
    rig.agent.link(1, second);
    rig.openAll();
    return rig;
  }

  private static List<String> links(PathsRig rig) {
    return rig.snapt.paths(rig.nowNs).stream().map(PathState::link).toList();
  }

  private static FlowState flowAt(TunnelSession end) {
    List<FlowState> flows = new ArrayList<>();
    end.flows().forEach(flows::add);
    return flows.getFirst();
  }

  /// Sends packets of one flow in both directions by a path.
  private static void carry(PathsRig rig, int path, int packets) {
    for (int i = 0; i < packets; i++) {
      rig.send(rig.agent, up());
      rig.agent.route(flowAt(rig.agent), path, rig.nowNs);
      rig.advanceMs(50);
      rig.send(rig.snapt, down());
      rig.advanceMs(50);
    }
  }

  @Test
  void copiesPreferAPathOfAnotherLink() {
    try (PathsRig rig = new PathsRig(8, 10, 20, 60)) {
      rig.serviceClass = ServiceClass.LT_LD;
      rig.agent.link(0, "wlan0");
      rig.agent.link(1, "wlan0"); // the other address family
      rig.agent.link(2, "wwan0");
      rig.openAll();
      carry(rig, FlowRoute.TWO_PATHS, 3);
      rig.links.forEach(link -> link.sentUp = link.sentDown = 0);
      carry(rig, FlowRoute.TWO_PATHS, 20);
      assertThat(rig.links.get(2).sentUp).isGreaterThanOrEqualTo(20);
      assertThat(rig.links.get(2).sentDown).isGreaterThanOrEqualTo(20);
      assertThat(rig.links.get(1).sentUp).isLessThan(10);
      assertThat(rig.links.get(1).sentDown).isLessThan(10);
    }
  }

  @Test
  void aProbeTellsTheLinkOfItsPath() {
    try (PathsRig rig = named("wlan0", "rmnet_data0")) {
      assertThat(links(rig)).containsExactly("wlan0", "rmnet_data0");
      assertThat(rig.captured).extracting(sent -> sent.length).contains(PROBE_BYTES + WLAN0_BYTES);
    }
  }

  @Test
  void aLinkIsToldUntilAProbeIsAnsweredAndNotAfterwards() {
    try (PathsRig rig = new PathsRig(8, 10, 30)) {
      rig.agent.link(0, "wlan0");
      rig.links.get(0).losesUp = true;
      rig.openAll();
      assertThat(links(rig)).as("nothing arrives by it").doesNotContain("wlan0");
      rig.links.get(0).losesUp = false;
      rig.probeAll();
      rig.advanceMs(100);
      assertThat(links(rig)).contains("wlan0");
      rig.captured.clear();
      rig.probeAll();
      assertThat(rig.captured).extracting(sent -> sent.length).containsOnly(PROBE_BYTES);
    }
  }

  @Test
  void aPathOfAnotherLinkTellsItsName() {
    try (PathsRig rig = named("wlan0", "wwan0")) {
      rig.agent.link(0, "eth0");
      rig.probeAll();
      rig.advanceMs(100);
      assertThat(links(rig)).containsExactly("eth0", "wwan0");
      rig.agent.link(0, LinkName.UNKNOWN);
      rig.probeAll();
      rig.advanceMs(100);
      assertThat(links(rig)).containsExactly("", "wwan0");
    }
  }

  @Test
  void anEndWithoutTheFeatureIsToldNoLink() {
    Set<Feature> before = new HashSet<>(TunnelLimits.FEATURES);
    before.remove(Feature.LINK_NAMES);
    try (PathsRig rig = new PathsRig(before, 8, 10, 30)) {
      rig.agent.link(0, "wlan0");
      rig.openAll();
      assertThat(links(rig)).containsExactly("", "");
      assertThat(rig.captured)
          .extracting(sent -> sent.length)
          .doesNotContain(PROBE_BYTES + WLAN0_BYTES);
    }
  }

  @Test
  void aFlowNamesTheLinkThatCarriedMostOfItsBytes() {
    try (PathsRig rig = named("wlan0", "wwan0")) {
      carry(rig, 0, 10);
      assertThat(flowAt(rig.snapt).link().most()).isEqualTo("wlan0");
      carry(rig, 1, 4);
      assertThat(flowAt(rig.snapt).link().most()).as("10 to 4").isEqualTo("wlan0");
      carry(rig, 1, 10);
      assertThat(flowAt(rig.snapt).link().most()).as("10 to 14").isEqualTo("wwan0");
      flowAt(rig.snapt).link().begin();
      carry(rig, 0, 1);
      assertThat(flowAt(rig.snapt).link().most()).as("of a new interval").isEqualTo("wlan0");
    }
  }

  @Test
  void aFlowInTheControlConnectionHasNoLink() {
    try (PathsRig rig = named("wlan0", "wwan0")) {
      carry(rig, FlowRoute.ANY, 1);
      FlowState flow = flowAt(rig.snapt);
      flow.link().begin();
      rig.connect();
      rig.agent.carryBy(Carrier.CONTROL);
      rig.drain();
      rig.advanceMs(1);
      assertThat(rig.snapt.carrier()).isEqualTo(Carrier.CONTROL);
      carry(rig, FlowRoute.ANY, 3);
      assertThat(flow.link().most()).isEqualTo(LinkName.UNKNOWN);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a name of 16 bytes",
        "abcdefghijklmnop",
        "<b>",
        "eth0 ",
        "-eth0",
        ".eth0",
        "=1+1",
        "wlän0",
        "eth0/1",
        "a\nb"
      })
  void anInterfaceOfAnotherFormIsUnknown(String name) {
    assertThat(LinkName.of(name)).isEqualTo(LinkName.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lo", "enx0123456789ab", "eth0.100", "rmnet_data0", "br-lan", "5g"})
  void aNameOfTheUsualFormIsTold(String name) {
    assertThat(LinkName.of(name)).isEqualTo(name);
  }
}
