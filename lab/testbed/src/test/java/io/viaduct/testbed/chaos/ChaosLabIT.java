package io.viaduct.testbed.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Runs `./viaduct chaos` for a few points of a fixed seed. A longer run is for a machine that does
/// nothing else: docs/measurements/chaos.md.
class ChaosLabIT {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));
  // PostgreSQL is frozen and killed; billing, an agent and a SNAPT are killed.
  private static final long SEED = 357;
  private static final int POINTS = 5;
  private static final int PATIENCE_SECONDS = 480; // for slow machines and the suite's own load
  private static final List<Integer> IMPOSSIBLE_HERE = List.of(69, 77); // bin/laboratory.sh

  @Test
  void aFewFaultsUnderLoadLoseNothingBeyondTheBoundAndChargeNothingTwice() throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    Path log = Path.of("target", "chaos.log");
    var builder =
        new ProcessBuilder(
            ROOT.resolve("viaduct").toString(), "chaos", "--seed=" + SEED, "--points=" + POINTS);
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    Process chaos = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      chaos.getOutputStream().close();
      assertThat(chaos.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("ends, see " + log).isTrue();
    } finally {
      chaos.destroy();
    }
    String told = Files.readString(log);
    assumeTrue(!IMPOSSIBLE_HERE.contains(chaos.exitValue()), told);
    assertThat(chaos.exitValue()).as("seed %d:%n%s", SEED, told).isZero();
    assertThat(told).contains("bill after point " + POINTS + ": ok");
  }
}
