package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [DirectoryDay] in namespaces of its own, with the packaged programs.
class DirectoryLabIT {
  private static final double TOLD_MS_MAX = 5_000;
  private static final double USED_MS_MAX = 10_000; // a list, or the pause of an attempt

  private static final String DIRECTORY =
      "directory: snapt-1 in core, 100 %; snapt-2 in edge, 50 %";

  @TempDir private Path directory;

  @Test
  void whatTheDirectorySaysReachesTheDeviceWithinFiveSecondsAndDecidesAndTheBillHasThePrice()
      throws Exception {
    String said = UnsharedRun.of(DirectoryDay.class, "directory", directory, Map.of());
    assertThat(number(said, "region told after ms")).as(said).isLessThan(TOLD_MS_MAX);
    assertThat(said.lines().filter(DIRECTORY::equals)).as("at both devices: %s", said).hasSize(2);
    assertThat(said).contains("by load: snapt-2").contains("by price: snapt-1");
    for (String what : List.of("price told elsewhere", "load elsewhere told", "load told")) {
      assertThat(number(said, what + " after ms")).as(said).isLessThan(TOLD_MS_MAX);
    }
    assertThat(number(said, "price told after ms")).as(said).isLessThan(TOLD_MS_MAX);
    assertThat(said).contains("region core, surcharge per GB: HT_LD 500.00 den");
    assertThat(number(said, "surcharge billed")).as(said).isPositive();
    assertThat(number(said, "drain by the bridge told after ms")).as(said).isLessThan(TOLD_MS_MAX);
    assertThat(number(said, "used again after ms")).as(said).isLessThan(USED_MS_MAX);
    assertThat(number(said, "orders of the bridge logged")).as(said).isEqualTo(2);
    assertThat(number(said, "drain by signal told after ms")).as(said).isLessThan(TOLD_MS_MAX);
    assertThat(number(said, "signals logged")).as(said).isEqualTo(1);
    assertThat(number(said, "call lost")).as(said).isZero();
    assertThat(number(said, "removal told after ms")).as(said).isLessThan(TOLD_MS_MAX);
    assertThat(number(said, "reports refused")).as(said).isPositive();
  }
}
