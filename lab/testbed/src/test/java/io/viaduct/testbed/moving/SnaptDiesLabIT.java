package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.Alone;
import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [SnaptDiesDay] in namespaces of its own, with the packaged programs.
@Alone
class SnaptDiesLabIT {
  /// The target is 300 ms at the 95th percentile on an idle machine.
  private static final double SERVED_MS_MOST = 2_000;

  @TempDir private Path directory;

  @Test
  void newFlowsLeaveADeadSnaptAndItsConnectionsAreToldOnlyIfItStaysAway() throws Exception {
    check(UnsharedRun.of(SnaptDiesDay.class, "snapt-dies", directory, Map.of()));
  }

  /// Checks what both days say of the death.
  static void check(String said) {
    System.out.println(said.lines().filter(line -> line.contains(" ms: ")).toList());
    assertThat(number(said, "new flow served after ms")).as(said).isLessThan(SERVED_MS_MOST);
    assertThat(said).contains("refused meanwhile: 0\n").contains("held connection answers: true\n");
    assertThat(said).contains("held connection ends by: Connection reset\n");
    assertThat(number(said, "told after ms")).as(said).isBetween(19_000.0, 45_000.0);
    assertThat(said).containsPattern("refused: \\{\"snapt_lost\":[1-9]");
  }
}
