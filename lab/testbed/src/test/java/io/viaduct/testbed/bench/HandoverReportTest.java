package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.traffic.Way;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandoverReportTest {
  private static final Reading OUTAGE = Reading.outage(Way.UP);
  private static final HandoverEvent LINK_DOWN = HandoverEvents.all().getFirst();

  @TempDir private Path directory;
  private Repetitions repetitions;

  @BeforeEach
  void begin() throws Exception {
    repetitions = Repetitions.begin(directory.resolve("repetitions.jsonl"), Map.of());
  }

  private void measured(String peer, double... outagesMs) throws Exception {
    for (double outageMs : outagesMs) {
      repetitions.add(LINK_DOWN.name(), peer, Map.of(OUTAGE, outageMs));
    }
  }

  private String tables(Map<String, String> missing) {
    return new HandoverReport(
            List.of(LINK_DOWN), List.of(ViaductPeer.NAME, "tortoise", "hare"), repetitions)
        .of(Map.of(), missing)
        .tables();
  }

  @Test
  void aLostGoalAndALostComparisonArePrintedInWords() throws Exception {
    measured(ViaductPeer.NAME, 8, 40, 90);
    measured("tortoise", 500, 600, 700);
    measured("hare", 5, 6, 7);
    assertThat(tables(Map.of()))
        .contains(
            "| link A goes down, B is up | outage up, p50 | ≤ 30 ms: 40.00 LOST | 6.0 hare | LOST |")
        .contains("outage up, p99 | ≤ 60 ms: 90.00 LOST | 7.0 hare | LOST |")
        .contains("| 40.0, 90.0, 90.0 | 600.0, 700.0, 700.0 | 6.0, 7.0, 7.0 |");
  }

  @Test
  void theBestPeerIsTheOneWithTheSmallestValue() throws Exception {
    measured(ViaductPeer.NAME, 4);
    measured("tortoise", 500);
    measured("hare", 5);
    assertThat(tables(Map.of())).contains("≤ 30 ms: 4.00 won | 5.0 hare | won |");
  }

  @Test
  void aGoalWithoutPeersHasNoComparison() throws Exception {
    measured(ViaductPeer.NAME, 4);
    assertThat(tables(Map.of("hare", "not installed: hare")))
        .contains("≤ 30 ms: 4.00 won | – | – |")
        .contains("- hare: not installed: hare");
  }

  @Test
  void readingsThatNobodyGaveAreLeftOut() throws Exception {
    measured("hare", 4);
    assertThat(tables(Map.of()))
        .contains("≤ 30 ms: not measured | 4.0 hare | – |")
        .doesNotContain("outage down");
  }
}
