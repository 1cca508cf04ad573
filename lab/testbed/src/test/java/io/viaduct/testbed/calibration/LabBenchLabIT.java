package io.viaduct.testbed.calibration;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.bench.BenchRun;
import io.viaduct.testbed.process.Alone;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Runs `./viaduct bench lab` briefly. Checks what a busy machine cannot spoil; delay and speed are
/// measured on an idle machine instead.
@Alone
class LabBenchLabIT {
  // A run of an exact laboratory is outside once in a million.
  private static final double DEVIATIONS_MAX = 5;

  private static List<JsonNode> rows;

  @BeforeAll
  static void measure(@TempDir Path folder) throws Exception {
    JsonNode report =
        BenchRun.of(
            "lab",
            folder,
            "--rounds=1",
            "--seconds=1",
            "--measures=delay,loss",
            "--delays=1,20,300");
    rows = report.path("rows").valueStream().toList();
    assertThat(rows).hasSize(18 + 3);
  }

  private static List<JsonNode> rowsOf(String measure) {
    return rows.stream().filter(row -> row.path("measure").asString("").equals(measure)).toList();
  }

  @Test
  void lossIsThatOfTheSetting() {
    assertThat(rowsOf("loss")).hasSize(3);
    for (JsonNode row : rowsOf("loss")) {
      assertThat(row.path("judged").get(0).asDouble(Double.NaN))
          .as("" + row)
          .isBetween(-DEVIATIONS_MAX, DEVIATIONS_MAX);
    }
  }

  @Test
  void delayIsNeverShorterThanTheSetting() {
    assertThat(rowsOf("delay error p50")).hasSize(6);
    for (JsonNode row : rowsOf("delay error p50")) {
      assertThat(row.path("judged").get(0).asDouble(Double.NaN)).as("" + row).isGreaterThan(-1);
    }
  }
}
