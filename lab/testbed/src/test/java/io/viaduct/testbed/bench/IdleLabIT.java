package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Runs `./viaduct bench idle` for a short time.
class IdleLabIT {
  @Test
  void anIdleDeviceSendsAndReceivesAtMost25BytesPerSecondOnItsActivePath(@TempDir Path folder)
      throws Exception {
    JsonNode rows = BenchRun.of("idle", folder, "--seconds=185").path("rows");
    for (JsonNode row : rows) {
      if (row.path("kind").asString("").equals("all")) {
        assertThat(row.path("bytesPerSecond").asDouble(1e9))
            .as("%s path of %s", row.path("path").asString(""), rows)
            .isBetween(1.0, 25.0);
      }
    }
  }
}
