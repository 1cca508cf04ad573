package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.bench.Load.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SavingsReportTest {
  private static final Load TEXT =
      new Load(TrafficClass.LT_LD, PayloadKind.TEXT, 1, false, 20_000, 35);

  private static Outcome outcome(long received, long after) {
    return new Outcome(TEXT, 100, received, 0, 10_000, after, new Histogram(3));
  }

  private static Report report(Map<String, Role> roles, Map<String, String> missing) {
    var outcomes = new LinkedHashMap<String, Outcome>();
    outcomes.put(DirectPeer.NAME, outcome(100, 10_000));
    outcomes.put(ViaductPeer.NAME, outcome(100, 6_000));
    outcomes.put("slim", outcome(100, 11_000));
    outcomes.put("lossy", outcome(40, 4_000));
    var conditions = new LinkedHashMap<String, String>();
    return new SavingsReport(
            new Participants(Map.of("slim", "version 1"), roles, missing),
            List.of(new SavingsReport.Line(outcomes)))
        .under(conditions);
  }

  private static Map<String, Role> roles() {
    var roles = new LinkedHashMap<String, Role>();
    roles.put(DirectPeer.NAME, Role.DIRECT);
    roles.put(ViaductPeer.NAME, Role.OURS);
    roles.put("slim", Role.PEER);
    roles.put("lossy", Role.BOUND);
    return roles;
  }

  @Test
  void tunnelsOfOthersHaveAColumnEachAndWhatTheyLoseIsNotPassedOverAsSaved() {
    List<String> rows = report(roles(), Map.of()).tables().lines().toList();

    assertThat(rows).hasSize(3);
    assertThat(rows.get(0)).endsWith("| lost | slim saved % | lossy saved % |");
    assertThat(rows.get(2))
        .startsWith(
            "| LT_LD 100 B | text | 1 flow, 20 kbit/s | 10000 | 6000 | 40.0 | ≥ 35 %: 40.00 won |")
        .endsWith("| 0 | -10.0 | 60.0 (60 lost) |");
  }

  @Test
  void whoWasLeftOutIsToldWithTheReason() {
    Report report = report(roles(), Map.of("wide", "not installed: wide"));

    assertThat(report.tables()).endsWith("\n- wide: not installed: wide\n");
    assertThat(report.conditions()).containsEntry("peer slim", "version 1");
    assertThat(report.numbers().get("missing")).isEqualTo(Map.of("wide", "not installed: wide"));
  }
}
