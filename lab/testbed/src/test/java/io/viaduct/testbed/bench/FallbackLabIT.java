package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Runs `./viaduct bench fallback`: a gateway that drops UDP.
class FallbackLabIT {
  // 0.3 s of silence until a probe, 1 s without an answer, then TCP's retransmission timer.
  private static final double SILENCE_MS_MAX = 3_000;

  @Test
  void oneTcpConnectionSurvivesTheBlockingOfUdpAndItsEnd(@TempDir Path folder) throws Exception {
    JsonNode changes = BenchRun.of("fallback", folder, "--rounds=1").path("rows");
    assertThat(changes.size()).isEqualTo(2);
    for (JsonNode change : changes) {
      assertThat(change.path("silentMs").asDouble(-1))
          .as("silence when data went to %s", change.path("to").asString(""))
          .isBetween(0.0, SILENCE_MS_MAX);
    }
  }
}
