package io.viaduct.controlbench;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.bench.BenchRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Runs `./viaduct bench control` with a small fleet. Checks what a busy machine cannot spoil.
class ControlBenchLabIT {
  @TempDir private Path folder;

  @Test
  void aFleetRegistersAndIsBackAfterTheBridgeWasKilled() throws Exception {
    JsonNode rows =
        BenchRun.of(
                "control",
                folder,
                "--agents=200",
                "--snapts=10",
                "--rate=100",
                "--rounds=1",
                "--seconds=4")
            .path("rows");
    assertThat(value(rows, "registrations")).isEqualTo(200);
    assertThat(value(rows, "registrations after")).isEqualTo(200);
    assertThat(value(rows, "agent bytes")).isPositive();
    assertThat(value(rows, "snapt bytes")).isPositive();
    assertThat(value(rows, "session bytes")).isPositive();
    assertThat(value(rows, "agents back p50")).isLessThanOrEqualTo(value(rows, "agents back"));
    assertThat(value(rows, "snapts back")).isPositive();
  }

  private static double value(JsonNode rows, String row) {
    return rows.valueStream()
        .filter(each -> each.path("row").asString("").equals(row))
        .mapToDouble(each -> each.path("median").path("median").asDouble())
        .findFirst()
        .orElseThrow(() -> new AssertionError(row + " is missing: " + rows));
  }
}
