package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.bench.BenchRun;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Runs the row of `./viaduct bench snapts` in which three SNAPTs are upgraded, as a person runs
/// it.
class RollingUpgradeLabIT {
  private static final Path LOG =
      Path.of(System.getProperty("viaduct.root")).resolve("build/lab/snapts-rolling-upgrade.log");

  /// The target is 100 ms on an idle machine; a busy one needed up to 3 s.
  private static final double GAP_MS_MOST = 6_000;

  @TempDir private Path directory;

  @Test
  void openConnectionsOutliveTheUpgradeOfEachSnaptOfAGroupAndEachByteIsBilledOnce()
      throws Exception {
    JsonNode report = BenchRun.of("snapts", directory, "--only=rolling-upgrade", "--rounds=1");
    assertThat(report.path("missing").properties()).isEmpty();
    assertThat(report.path("rows").size()).isEqualTo(3); // broken, lost, billed twice
    for (JsonNode row : report.path("rows")) {
      assertThat(row.path("goal").path("won").asBoolean(false)).as("" + row).isTrue();
    }
    String said = Files.readString(LOG);
    System.out.println(said.lines().filter(line -> line.contains(" ms: ")).toList()); // the gaps
    for (String snapt : new String[] {"snapt-1", "snapt-2", "snapt-3"}) {
      assertThat(number(said, "sessions of " + snapt)).as(said).isPositive();
      assertThat(number(said, "moved from " + snapt))
          .as("a stand-in without a flow leaves by itself: %s", said)
          .isBetween(1.0, number(said, "sessions of " + snapt));
      assertThat(number(said, "stop of " + snapt)).as(said).isZero();
    }
    assertThat(number(said, "pieces")).as(said).isGreaterThan(2_000);
    assertThat(number(said, "call lost")).as(said).isLessThan(300);
    assertThat(number(said, DrainUnderLoad.GAP_MS)).as(said).isLessThan(GAP_MS_MOST);
    assertThat(number(said, "charged percent")).as(said).isBetween(99.9, 100.1);
  }
}
