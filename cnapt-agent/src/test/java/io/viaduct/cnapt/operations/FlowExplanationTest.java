package io.viaduct.cnapt.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.TowardsHere;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.cnapt.tunnel.ExplainedFlow;
import io.viaduct.tunnel.path.ProbeCounts;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class FlowExplanationTest {
  private static final PathStatus PATH =
      new PathStatus(
          0,
          "one",
          "wlan0",
          "203.0.113.1",
          "usable",
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
          ProbeCounts.NONE);

  private static String answer(int meant, ExplainedFlow... flows) {
    return JsonMapper.shared()
        .writeValueAsString(new ExplainedFlow.Answer(List.of(flows), meant, 7, List.of()));
  }

  private static DataStatus.RefusedFlow refused(String rule) {
    return new DataStatus.RefusedFlow(
        17, 5_000, "[2001:db8::7]:5004", "voice", "HT_LD", "delay", rule, "no SNAPT", 2, 1_500);
  }

  private static ExplainedFlow flow(String link, String copy) {
    return new ExplainedFlow(
        new DataStatus.FlowStatus(
            1,
            17,
            40_000,
            "[2001:db8::7]:53",
            "dns",
            "LT_LD",
            null,
            1,
            2,
            3,
            0,
            1_500,
            link,
            "one",
            ""),
        "built-in line 1: classes LT_LD HT_LD",
        "lowest-delay, copy while losing",
        copy,
        8_200,
        "it has the least delay with its loss (wlan0 47.3 ms = 12.3 ms + loss)",
        List.of(PATH));
  }

  @Test
  void aFlowIsExplainedByItsLineItsPathSinceWhenAndTheNumbers() {
    FlowExplanation found = FlowExplanation.of(answer(1, flow("wlan0", "wwan0")), "x");
    assertThat(found.isFound()).isTrue();
    assertThat(found.text())
        .contains(
            "flow   udp port 40000 -> [2001:db8::7]:53, application dns, class LT_LD, open for 1.5"
                + " s",
            "line   built-in line 1: classes LT_LD HT_LD",
            "method lowest-delay, copy while losing",
            "path   wlan0, since 8.2 s, a second copy of each packet by wwan0",
            "why    it has the least delay with its loss (wlan0 47.3 ms = 12.3 ms + loss)",
            "5.00");
  }

  @Test
  void moreFlowsThanOneAnswerHoldsAreCounted() {
    assertThat(FlowExplanation.of(answer(30, flow("wlan0", "")), "x").text())
        .contains("29 more flows are meant; name the local port");
  }

  @Test
  void aRefusedFlowIsExplainedByItsRuleAlsoBesideFlowsThatAreOpen() {
    ExplainedFlow.Answer both =
        new ExplainedFlow.Answer(
            List.of(flow("wlan0", "")),
            1,
            7,
            List.of(refused("line 2 of the policy (classes HT_LD) says unmet: refuse")));
    assertThat(FlowExplanation.of(JsonMapper.shared().writeValueAsString(both), "x").text())
        .contains(
            "flow   udp port 40000 -> [2001:db8::7]:53",
            "flow   udp port 5000 -> [2001:db8::7]:5004, application voice, class HT_LD, refused"
                + " 1.5 s ago (2 packets)",
            "why    no SNAPT; line 2 of the policy (classes HT_LD) says unmet: refuse")
        .doesNotContain("snapts.unmet");
  }

  @Test
  void anUnknownFlowSaysWhereToLook() {
    FlowExplanation none = FlowExplanation.of(answer(0), "192.0.2.1:443");
    assertThat(none.isFound()).isFalse();
    assertThat(none.text())
        .contains("no flow to 192.0.2.1:443", "7 flows are open", "cnapt status");
  }
}
