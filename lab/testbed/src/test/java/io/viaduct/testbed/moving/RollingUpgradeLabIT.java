package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [RollingUpgrade] in namespaces of its own, with the packaged programs.
class RollingUpgradeLabIT {
  /// The target is 100 ms on an idle machine; a busy one needed up to 3 s.
  private static final double GAP_MS_MOST = 6_000;

  @TempDir private Path directory;

  @Test
  void openConnectionsOutliveTheUpgradeOfEachSnaptOfAGroupAndEachByteIsBilledOnce()
      throws Exception {
    String said = UnsharedRun.of(RollingUpgrade.class, "rolling-upgrade", directory, Map.of());
    System.out.println(said.lines().filter(line -> line.contains(" ms: ")).toList()); // the gaps
    for (String snapt : new String[] {"snapt-1", "snapt-2", "snapt-3"}) {
      assertThat(number(said, "sessions of " + snapt)).as(said).isPositive();
      assertThat(number(said, "moved from " + snapt))
          .as(said)
          .isEqualTo(number(said, "sessions of " + snapt));
      assertThat(number(said, "stop of " + snapt)).as(said).isZero();
    }
    assertThat(number(said, RollingUpgrade.BROKEN)).as(said).isZero();
    assertThat(number(said, "pieces")).as(said).isGreaterThan(2_000);
    assertThat(number(said, "call lost")).as(said).isLessThan(300);
    assertThat(number(said, DrainUnderLoad.GAP_MS)).as(said).isLessThan(GAP_MS_MOST);
    assertThat(number(said, "charged percent")).as(said).isBetween(99.9, 100.1);
    assertThat(number(said, RollingUpgrade.LOST)).as(said).isZero();
    assertThat(number(said, RollingUpgrade.TWICE)).as(said).isZero();
  }
}
