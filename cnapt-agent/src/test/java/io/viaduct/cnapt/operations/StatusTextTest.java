package io.viaduct.cnapt.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.egress.KeptOutside;
import io.viaduct.cnapt.links.LinkStatus;
import io.viaduct.cnapt.mobility.CarrierChange;
import io.viaduct.cnapt.mobility.Handover;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.TowardsHere;
import io.viaduct.cnapt.signalling.SignallingStatus;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.cnapt.tunnel.DataStatus.ClassStatus;
import io.viaduct.cnapt.tunnel.DataStatus.FlowStatus;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.ProbeCounts;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class StatusTextTest {
  private static final Instant AT = Instant.parse("2026-11-20T12:00:00Z");

  private static AgentStatus status(
      String state, List<String> reasons, AgentStatus.SessionStatus session) {
    return new AgentStatus(
        state,
        reasons,
        "0.1.0",
        4711,
        5000,
        new AgentStatus.TunStatus("viaduct0", "100.96.0.2", "fd76::2", 1414),
        session,
        List.of(),
        List.of(),
        List.of(),
        new AgentStatus.ControlStatus(
            session != null, "2026-11-20T12:05:00Z", "2027-11-20T00:00:00Z", "", "", List.of()),
        new AgentStatus.ReceiptsStatus(session != null, 3, 1, 0),
        new SignallingStatus(
            "sip:alice@ims.test",
            "active",
            "active",
            "",
            new SignallingStatus.Probes(
                "bridge.test", 23.45, 22.0, 0.0, 0.0, 3, 3, 12_000L, false)),
        null,
        "linkB 10.2.0.2",
        List.of(
            new LinkStatus("linkB", "yes", 0, List.of("10.2.0.2"), -61, ""),
            new LinkStatus("wwan0", "spare", 1, List.of("10.9.9.2", "fd09::2"), null, "")),
        List.of(
            new PathStatus(
                0,
                "",
                "linkB",
                "203.0.113.1",
                "losing",
                "yes",
                "it answers",
                61_000,
                12.34,
                9.87,
                47.34,
                -0.75,
                4.94,
                3.5,
                1.2,
                2.5,
                1400,
                2_500_000,
                5_000_000,
                0,
                0,
                false,
                TowardsHere.NEVER_FULL,
                ProbeCounts.NONE)),
        session == null ? "http://portal.test/login" : "",
        session == null ? List.of("0.0.0.0/1 via 10.2.0.1 dev linkB") : List.of(),
        session == null
            ? KeptOutside.NONE
            : new KeptOutside(
                List.of("192.0.2.0/24"),
                List.of("1000-1099", "4242"),
                List.of(new KeptOutside.Group("/sys/fs/cgroup/viaduct-outside", 3)),
                List.of("app.slice/app-*.scope")),
        new DataStatus(
            "10.9.0.3:4500",
            "control",
            session == null ? "none" : "alive",
            session == null ? null : 12.34,
            session == null ? null : 6.17,
            session == null ? 0 : 1400,
            List.of(new ClassStatus("LT_LD", 10, 1000, 400, 60.0)),
            1,
            List.of(
                new FlowStatus(
                    7,
                    6,
                    40000,
                    "10.9.0.9:22",
                    "ssh",
                    "LT_LD",
                    null,
                    600,
                    400,
                    400,
                    3,
                    900,
                    "linkB",
                    "snapt-1 10.9.0.3:4433",
                    "")),
            Map.of("snapt_lost", 3L),
            List.of(),
            List.of(),
            List.of()),
        1,
        List.of(new Handover(AT, "link", "linkA 10.1.0.2", "linkB 10.2.0.2", 41.5)),
        List.of(new CarrierChange(AT, Carrier.CONTROL, 412.5, 3.1)));
  }

  private static String json(AgentStatus status) {
    return JsonMapper.shared().writeValueAsString(status);
  }

  @Test
  void aRunningAgentIsToldInFull() {
    String json =
        json(
            status(
                "up",
                List.of(),
                new AgentStatus.SessionStatus(
                    "snapt-1 10.9.0.3:4433", "s1", "AES_256_GCM", 1500, 60_000, 0)));
    assertThat(StatusText.isUp(json)).isTrue();
    assertThat(StatusText.of(json))
        .contains("state       up")
        .contains("snapt-1 10.9.0.3:4433")
        .contains("by control: nothing came for 412.5 ms, first answer after 3.1 ms")
        .contains("established, token until 2026-11-20T12:05:00Z")
        .contains("trust       certificates until 2027-11-20T00:00:00Z")
        .contains("sip:alice@ims.test, registration active, subscription active, round trip 23.")
        .contains(
            "alive to 10.9.0.3:4500, round trip 12.3 ms, one-way delays ± 6.2 ms, MTU 1400, in the control connection")
        .contains("links       linkB -61 dBm, wwan0 (spare)")
        .contains("viaduct0 100.96.0.2 fd76::2, MTU 1414")
        .containsPattern("LT_LD +10 +1000 +400 +60.0%")
        .containsPattern("ssh +- +40000 -> 10.9.0.9:22 +up 600 B, down 400 B, retransmissions 3")
        .contains("outside     192.0.2.0/24\n")
        .contains("outside     programs of users 1000-1099, 4242\n")
        .contains("outside     3 processes of the control group /sys/fs/cgroup/viaduct-outside\n")
        .contains("outside     the control group app.slice/app-*.scope, which is not there\n")
        .contains("refused flows: 3 because their SNAPT has not come back\n")
        .contains("1 handovers")
        .contains("linkA 10.1.0.2 -> linkB 10.2.0.2, 41.5 ms");
  }

  @Test
  void anAgentWithoutSnaptSaysWhyAndIsNotUp() {
    String json = json(status("starting", List.of("no SNAPT has welcomed this device yet"), null));
    assertThat(StatusText.isUp(json)).isFalse();
    assertThat(StatusText.of(json))
        .contains("state       starting: no SNAPT has welcomed this device yet")
        .contains("portal      a captive portal stands in the way: open http://portal.test/login")
        .contains(
            "ignored     the route 0.0.0.0/1 via 10.2.0.1 dev linkB, which would lead past the tunnel")
        .contains("SNAPT       none")
        .doesNotContain("outside")
        .contains("not connected");
  }

  @Test
  void theJsonHasTheMembersThatScriptsRead() {
    var tree = JsonMapper.shared().readTree(json(status("degraded", List.of("x"), null)));
    assertThat(tree.propertyNames())
        .contains(
            "state", "session", "control", "signalling", "network", "links", "data", "handovers");
    assertThat(tree.at("/data/classes/0/savedPercent").asDouble()).isEqualTo(60.0);
    assertThat(tree.at("/handovers/0/at").asString()).isEqualTo(AT.toString());
  }

  @Test
  void aSnaptThatDrainsIsNamedWithTheFlowsThatAreStillThere() {
    String drains =
        """
        {"snapt": "snapt-1 10.0.0.1:443", "state": "leaving", "draining": true, "flows": 3,
         "established": true, "drainDeadline": "2026-11-20T12:05:00Z"}\
        """;
    String other =
        """
        {"snapt": "snapt-2 10.0.0.2:443", "state": "carrying", "draining": false, "flows": 9,
         "established": true, "drainDeadline": ""}\
        """;
    assertThat(StatusText.of("{\"snapts\": [%s, %s]}".formatted(drains, other)))
        .contains("snapt-1 10.0.0.1:443, leaving, 3 flows")
        .contains(", drains until 2026-11-20T12:05:00Z with 3 flows")
        .containsOnlyOnce("drains");
    assertThat(
            StatusText.of(
                "{\"session\": {\"snapt\": \"snapt-1\"}, \"snapts\": [%s]}".formatted(drains)))
        .contains("snapt-1, drains until 2026-11-20T12:05:00Z with 3 flows");
  }
}
