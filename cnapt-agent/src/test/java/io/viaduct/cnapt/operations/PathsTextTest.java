package io.viaduct.cnapt.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.links.LinkStatus;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.TowardsHere;
import io.viaduct.cnapt.signalling.SignallingStatus.Probes;
import io.viaduct.tunnel.path.ProbeCounts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class PathsTextTest {
  private static final String STATUS =
      JsonMapper.shared()
          .writeValueAsString(
              Map.of(
                  "paths",
                  List.of(
                      new PathStatus(
                          0,
                          "",
                          "wlan0",
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
                          ProbeCounts.NONE),
                      new PathStatus(
                          1,
                          "",
                          "wwan0",
                          "203.0.113.1",
                          "dead",
                          "no",
                          "nothing arrives by it",
                          900,
                          null,
                          null,
                          null,
                          null,
                          null,
                          0,
                          0,
                          0,
                          1500,
                          0,
                          PathStatus.UNKNOWN_RATE,
                          0,
                          1,
                          false,
                          TowardsHere.NEVER_FULL,
                          ProbeCounts.NONE))));

  private static final String SIP_BESIDE =
      STATUS.replaceFirst(
          "\\{",
          "{\"signalling\": {\"probes\": "
              + JsonMapper.shared()
                  .writeValueAsString(
                      new Probes("bridge.test", 23.46, 20.1, 25.0, 6.25, 4, 3, 61_000L, false))
              + "}, ");

  @Test
  void theTableHasALinePerPathWithTheNumbersThatDecide() {
    assertThat(PathsText.table(STATUS).lines().map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "path link to state used RTT ms usual ms up % down % MTU sent Mb/s spare Mb/s since why",
            "0 wlan0 203.0.113.1 losing yes 12.3 9.9 3.5 1.2 1400 2.50 5.00 1m1s it answers",
            "1 wwan0 203.0.113.1 dead no - - 0.0 0.0 1500 0.00 - 0s nothing arrives by it");
  }

  @Test
  void aLinkBehindACaptivePortalHasALineThatSaysHowItIsPassed() {
    var links =
        List.of(
            new LinkStatus("eth0", "yes", 0, List.of("192.0.2.5"), null, ""),
            new LinkStatus(
                "wlan0", "yes", 0, List.of("10.0.0.5"), -60, "http://portal.test/login"));
    String behind =
        STATUS.replaceFirst(
            "\\{", "{\"links\": " + JsonMapper.shared().writeValueAsString(links) + ", ");
    assertThat(PathsText.table(behind).lines())
        .hasSize(4)
        .last()
        .isEqualTo(
            "a captive portal stands in the way of wlan0: disconnect the other links, and open"
                + " http://portal.test/login");
    assertThat(
            JsonMapper.shared().readTree(PathsText.json(behind)).at("/links/1/portal").asString())
        .isEqualTo("http://portal.test/login");
  }

  @Test
  void theJsonHasThePathsAndTheProbesBySip() {
    var tree = JsonMapper.shared().readTree(PathsText.json(SIP_BESIDE));
    assertThat(tree.at("/paths/1/link").asString()).isEqualTo("wwan0");
    assertThat(tree.at("/sip/roundTripMs").asDouble()).isEqualTo(23.46);
    assertThat(tree.at("/sip/agoMs").asLong()).isEqualTo(61_000);
    assertThat(tree.propertyNames()).containsExactly("paths", "links", "sip");
  }

  @Test
  void theRoundTripBySipStandsBelowThatOfTheTunnel() {
    assertThat(PathsText.table(SIP_BESIDE).lines().map(line -> line.replaceAll(" +", " ")))
        .hasSize(4)
        .last()
        .isEqualTo(
            "sip - bridge.test alive no 23.5 20.1 25.0 25.0 - - - 1m1s 3 of 4 SIP probes answered");
  }

  @Test
  void whereOnlySipPassesItsRoundTripIsShownInsteadOfNothing() {
    Probes alone = new Probes("bridge.test", 23.46, 23.46, 0.0, 0.0, 5, 5, 900L, true);
    String status =
        JsonMapper.shared()
            .writeValueAsString(Map.of("paths", List.of(), "signalling", Map.of("probes", alone)));
    assertThat(PathsText.table(status))
        .startsWith("no path: the agent has no session")
        .containsPattern(
            "sip +- +bridge.test +alive +no +23.5 .* only SIP passes: 5 of 5 SIP probes");
  }

  @Test
  void aSilentBridgeIsDead() {
    Probes silent = new Probes("bridge.test", null, null, 100.0, 100.0, 2, 0, null, false);
    String status =
        JsonMapper.shared()
            .writeValueAsString(Map.of("paths", List.of(), "signalling", Map.of("probes", silent)));
    assertThat(PathsText.table(status))
        .containsPattern("sip +- +bridge.test +dead +no +- +- +100.0");
  }

  @Test
  void withoutASessionThereIsNoPath() {
    assertThat(PathsText.table("{\"paths\": []}")).startsWith("no path");
  }

  @Test
  void thePathsToSeveralSnaptsHaveAColumnWithTheirSnapt() {
    String several =
        STATUS
            .replaceFirst("\"snapt\":\"\"", "\"snapt\":\"one\"")
            .replaceFirst("\"snapt\":\"\"", "\"snapt\":\"two\"");
    assertThat(PathsText.table(several).lines().map(line -> line.replaceAll(" +", " ")))
        .hasSize(3)
        .satisfies(lines -> {
          assertThat(lines.get(0)).startsWith("SNAPT path link");
          assertThat(lines.get(1)).startsWith("one 0 wlan0");
          assertThat(lines.get(2)).startsWith("two 1 wwan0");
        });
  }
}
