package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.viaduct.testbed.process.Alone;
import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [RelayDay] in namespaces of its own, with the packaged programs.
@Alone
class RelayLabIT {
  @TempDir private Path directory;

  @Test
  void aDeviceThatHasNoWayButItsNeighboursTunnelIsServedAndTheNeighbourEarns() throws Exception {
    String said = UnsharedRun.of(RelayDay.class, "relay", directory, Map.of());
    assumeFalse(said.contains("skipped: "), "skipped: no nftables here");
    for (String way : new String[] {"by snapt-1", "by snapt-2"}) {
      assertThat(said)
          .contains("SHA-256 right " + way + ": true\n", "at snapt-1 " + way + ": true\n");
      assertThat(UnsharedRun.number(said, "relayed " + way))
          .as("outer bytes of the download by the neighbour, " + way)
          .isPositive();
    }
    assertThat(UnsharedRun.number(said, "rewards in percent of the share"))
        .as("of the settled charges: the relay share of all that came by the neighbour")
        .isBetween(95.0, 100.0);
    assertThat(UnsharedRun.number(said, "settled in percent of the charges"))
        .as("the last interval of a session may be unsigned")
        .isBetween(50.0, 100.0);
    assertThat(UnsharedRun.number(said, "charged to bob"))
        .as("the neighbour pays nothing for what he forwards but her control connection")
        .isLessThan(UnsharedRun.number(said, "charged to alice") / 10);
    assertThat(said).contains("broken invariants: \n").containsPattern("snapt-1 +.*\\d");
  }
}
