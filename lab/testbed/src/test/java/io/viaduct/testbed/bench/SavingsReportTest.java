package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.bench.Load.Outcome;
import io.viaduct.testbed.report.Report;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SavingsReportTest {
  private static final Load TEXT =
      new Load(TrafficClass.LT_LD, PayloadKind.TEXT, 1, false, 20_000, 35, 20);

  private static Outcome outcome(Load load, long received, long after, double ms) {
    var delays = new Histogram(3);
    delays.recordValueWithCount((long) (ms * 1e6), received);
    return new Outcome(load, 100, received, 0, 10_000, after, delays);
  }

  private static SavingsLine line(Load load, long received, double directMs, double ms) {
    var outcomes = new LinkedHashMap<String, Outcome>();
    outcomes.put(DirectPeer.NAME, outcome(load, 100, 10_000, directMs));
    outcomes.put(ViaductPeer.NAME, outcome(load, received, 6_000, ms));
    outcomes.put("slim", outcome(load, 100, 11_000, ms));
    outcomes.put("lossy", outcome(load, 40, 4_000, ms));
    return new SavingsLine(outcomes);
  }

  private static Report report(Map<String, String> missing, SavingsLine... lines) {
    var conditions = Map.of("how to read", SavingsLine.HOW_TO_READ);
    var grid = SavingsLine.grid(List.of("slim", "lossy"));
    return Report.of("savings", "Savings", conditions, grid, List.of(lines)).without(missing);
  }

  private static Load anyOf(TrafficClass of) {
    return Loads.all().stream().filter(load -> load.of() == of).findFirst().orElseThrow();
  }

  @Test
  void tunnelsOfOthersHaveAColumnEachAndWhatTheyLoseIsNotPassedOverAsSaved() {
    List<String> rows = report(Map.of(), line(TEXT, 100, 1, 20)).tables().lines().toList();

    assertThat(rows).hasSize(3);
    assertThat(rows.get(0)).endsWith("| lost | slim saved % | lossy saved % |");
    assertThat(rows.get(2))
        .startsWith(
            "| LT_LD 100 B | text | 1 flow, 20 kbit/s | 10000 | 6000 | 40.0 | ≥ 35 %: 40.00 won |")
        .endsWith("| 0 | -10.0 | 60.0 (60 lost) |");
  }

  @Test
  void missingPeersAreReportedWithTheReason() {
    Report report = report(Map.of("wide", "not installed: wide"), line(TEXT, 100, 1, 20));

    assertThat(report.tables()).endsWith("\n- wide: not installed: wide\n");
    assertThat(report.missing()).isEqualTo(Map.of("wide", "not installed: wide"));
  }

  @ParameterizedTest
  @CsvSource({"20.5, 19.5, won", "21.5, 20.5, LOST", "0.5, -0.5, won"})
  void lowDelayIsHeldToWhatItAddsToTheDirectPath(double ms, String added, String judged) {
    assertThat(report(Map.of(), line(TEXT, 100, 1, ms)).tables())
        .containsPattern(
            "won \\| %1$s \\| %1$s \\| ≤ 20 ms: %1$s\\d %2$s".formatted(added, judged));
  }

  @Test
  void theDelayGoalIsLostWhenNothingArrives() {
    assertThat(report(Map.of(), line(TEXT, 0, 1, 1)).tables())
        .contains("| – | – | ≤ 20 ms: not measured | 100 |");
  }

  @Test
  void onlyLowDelayHasABoundOfAddedDelayAndAllOfItTheSame() {
    for (Load load : Loads.all()) {
      boolean low = load.of() == TrafficClass.LT_LD || load.of() == TrafficClass.HT_LD;
      assertThat(load.goalAddedMs())
          .as("%s", load)
          .isEqualTo(Double.valueOf(low ? 20 : Double.NaN));
    }
    assertThat(line(anyOf(TrafficClass.HT_HD), 100, 1, 500).delayVerdict()).isEmpty();
  }

  @Test
  void bothFilesHaveTheBytesOfEveryRowAndTheDelayGoalOfLowDelay(@TempDir Path folder)
      throws IOException {
    var lines = new ArrayList<SavingsLine>();
    Loads.all().forEach(load -> lines.add(line(load, 100, 1, 22)));
    report(Map.of(), lines.toArray(SavingsLine[]::new))
        .publish(new PrintStream(OutputStream.nullOutputStream()), folder);

    List<String> rows =
        Files.readAllLines(folder.resolve("savings.md")).stream()
            .filter(row -> row.matches("\\| [LH]T_.*"))
            .toList();
    assertThat(rows).hasSameSizeAs(lines).allMatch(row -> row.contains(" | 10000 | 6000 | 40.0 |"));
    assertThat(rows)
        .allMatch(row -> row.contains("_LD ") == row.matches(".*≤ 20 ms: 2\\d.* LOST \\| 0 .*"));
    JsonNode loads = JsonMapper.shared().readTree(folder.resolve("savings.json")).path("rows");
    assertThat(loads.size()).isEqualTo(lines.size());
    for (JsonNode load : loads) {
      assertThat(load.path("bytesBefore").asLong()).isEqualTo(10_000);
      assertThat(load.path("bytesAfter").asLong()).isEqualTo(6_000);
      assertThat(load.has("delayGoal")).isEqualTo(load.path("class").asString().endsWith("_LD"));
      assertThat(load.path("delayGoal").path("won").asBoolean(false)).isFalse();
    }
    assertThat(Files.readString(folder.resolve("savings.md")))
        .contains("- how to read: bytes before are")
        .contains("a difference of percentiles");
  }
}
