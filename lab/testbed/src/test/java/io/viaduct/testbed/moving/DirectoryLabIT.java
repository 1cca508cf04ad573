package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [DirectoryDay] in namespaces of its own, with the packaged programs.
class DirectoryLabIT {
  private static final double TOLD_MS_MAX = 5_000;

  @TempDir private Path directory;

  @Test
  void pricesDrainsAndRemovalsReachTheDeviceWithinFiveSecondsAndTheBillHasThePrice()
      throws Exception {
    String said = UnsharedRun.of(DirectoryDay.class, "directory", directory, Map.of());
    assertThat(number(said, "price told after ms")).as(said).isLessThan(TOLD_MS_MAX);
    assertThat(said).contains("region core, surcharge per GB: HT_LD 500.00 den");
    assertThat(number(said, "surcharge billed")).as(said).isPositive();
    assertThat(number(said, "drain by the bridge told after ms")).as(said).isLessThan(TOLD_MS_MAX);
    assertThat(number(said, "drain by signal told after ms")).as(said).isLessThan(TOLD_MS_MAX);
    assertThat(number(said, "drains logged")).as(said).isEqualTo(2);
    assertThat(number(said, "call lost")).as(said).isZero();
    assertThat(number(said, "removal told after ms")).as(said).isLessThan(TOLD_MS_MAX);
  }
}
