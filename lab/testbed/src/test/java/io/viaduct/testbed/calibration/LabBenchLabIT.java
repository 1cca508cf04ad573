package io.viaduct.testbed.calibration;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.bench.BenchRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Runs `./viaduct bench lab` briefly. Checks what a busy machine cannot spoil; delay and speed are
/// measured on an idle machine instead.
class LabBenchLabIT {
  // A run of an exact laboratory is outside once in a million.
  private static final double DEVIATIONS_MAX = 5;

  @Test
  void lossIsThatOfTheSetting(@TempDir Path folder) throws Exception {
    JsonNode rows =
        BenchRun.of("lab", folder, "--rounds=1", "--seconds=1", "--measures=loss").path("rows");
    assertThat(rows.size()).isEqualTo(3);
    for (JsonNode row : rows) {
      assertThat(row.path("judged").get(0).asDouble(Double.NaN))
          .as("" + row)
          .isBetween(-DEVIATIONS_MAX, DEVIATIONS_MAX);
    }
  }

  @Test
  void delayIsNeverShorterThanTheSetting(@TempDir Path folder) throws Exception {
    JsonNode rows =
        BenchRun.of("lab", folder, "--rounds=1", "--seconds=1", "--measures=delay").path("rows");
    assertThat(rows.size()).isEqualTo(36);
    for (JsonNode row : rows) {
      if (row.path("measure").asString("").equals("delay error p50")) {
        assertThat(row.path("judged").get(0).asDouble(Double.NaN)).as("" + row).isGreaterThan(-1);
      }
    }
  }
}
