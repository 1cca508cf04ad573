package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [DrainMovesDay] in namespaces of its own, with the packaged programs.
class DrainMovesLabIT {
  /// The target is 100 ms on an idle machine. Here both SNAPTs hand a session over for the first
  /// time, beside whatever else the machine does.
  private static final double GAP_MS_MOST = 4_000;

  @TempDir private Path directory;

  @Test
  void openConnectionsOutliveTheUpgradeOfEachSnaptOfAGroup() throws Exception {
    String said = UnsharedRun.of(DrainMovesDay.class, "drain-moves", directory, Map.of());
    assertThat(said)
        .contains("moved from snapt-1: 1\n")
        .contains("moved from snapt-2: 1\n")
        .contains("device at: snapt-1 ");
    assertThat(number(said, "broken")).as(said).isZero();
    assertThat(number(said, "pieces")).as(said).isGreaterThan(2_000);
    assertThat(number(said, "stream lost")).as(said).isLessThan(25);
    assertThat(number(said, "stream gap ms")).as(said).isLessThan(GAP_MS_MOST);
    assertThat(number(said, "charged percent")).as(said).isBetween(99.9, 100.1);
  }
}
