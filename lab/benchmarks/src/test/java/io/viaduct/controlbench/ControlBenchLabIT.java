package io.viaduct.controlbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Runs `./viaduct bench control` with a small fleet. Checks what a busy machine cannot spoil.
class ControlBenchLabIT {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));
  private static final int PATIENCE_SECONDS = 300; // for slow machines and the suite's own load
  private static final List<Integer> IMPOSSIBLE_HERE = List.of(69, 77); // bin/laboratory.sh

  @TempDir private Path folder;

  @Test
  void aFleetRegistersAndIsBackAfterTheBridgeWasKilled() throws Exception {
    JsonNode rows = run("--agents=200", "--snapts=10", "--rate=100", "--rounds=1", "--seconds=4");
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

  private JsonNode run(String... options) throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    Path log = Path.of("target", "bench-control.log");
    var words =
        new java.util.ArrayList<>(List.of(ROOT.resolve("viaduct").toString(), "bench", "control"));
    words.addAll(List.of(options));
    words.add("--output=" + folder);
    var builder = new ProcessBuilder(words);
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    Process bench = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      bench.getOutputStream().close();
      assertThat(bench.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("ends, see " + log).isTrue();
    } finally {
      bench.destroy();
    }
    String told = Files.readString(log);
    assumeTrue(!IMPOSSIBLE_HERE.contains(bench.exitValue()), told);
    assertThat(bench.exitValue()).as(told).isZero();
    return JsonMapper.shared()
        .readTree(Files.readString(folder.resolve("control.json")))
        .path("rows");
  }
}
