package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `./viaduct bench fallback`: real processes, real TCP, a gateway that drops UDP.
class FallbackLabIT {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final int PATIENCE_SECONDS = 300; // slow machines, and the suite's own load
  // 0.3 s until silence is asked about, 1 s without an answer, then TCP sends again after its
  // timer.
  private static final double SILENCE_MS_MAX = 3_000;

  @Test
  void oneTcpConnectionSurvivesTheBlockingOfUdpAndItsEnd(@TempDir Path folder) throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    Path log = folder.resolve("fallback.log");
    var builder =
        new ProcessBuilder(
            ROOT.resolve("viaduct").toString(),
            "bench",
            "fallback",
            "--rounds=1",
            "--output=" + folder);
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    Process bench = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertThat(bench.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      bench.destroy();
    }
    String told = Files.readString(log);
    System.out.println(told);
    assumeTrue(bench.exitValue() != 69 && bench.exitValue() != 77, told);
    assertThat(bench.exitValue()).as(told).isZero();
    JsonNode changes =
        JsonMapper.shared()
            .readTree(Files.readString(folder.resolve("fallback.json")))
            .path("changes");
    assertThat(changes.size()).isEqualTo(2);
    for (JsonNode change : changes) {
      assertThat(change.path("silentMs").asDouble(-1))
          .as("silence when data went to %s", change.path("to").asString(""))
          .isBetween(0.0, SILENCE_MS_MAX);
    }
  }
}
