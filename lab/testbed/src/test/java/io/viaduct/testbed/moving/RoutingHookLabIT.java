package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [RoutingHookDay] in namespaces of its own, with the packaged programs.
class RoutingHookLabIT {
  @TempDir private Path directory;

  @Test
  void theTotalsOfTheRoutingHookAreThoseThatTheSnaptReportsToTheByte() throws Exception {
    String said = UnsharedRun.of(RoutingHookDay.class, "routing-hook", directory, Map.of());
    assertThat(said).contains("lost: 0\n").contains("flows: 2\n");
    assertThat(said).contains("classes: [HT_HD, HT_LD]\n");
    assertThat(number(said, "told bytes")).as(said).isGreaterThan(1_000_000);
    assertThat(number(said, "charged bytes")).as(said).isEqualTo(number(said, "told bytes"));
    assertThat(number(said, "statistics")).as(said).isPositive();
  }
}
