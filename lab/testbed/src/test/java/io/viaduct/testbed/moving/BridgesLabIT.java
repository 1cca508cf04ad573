package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.Alone;
import io.viaduct.testbed.process.Unshared;
import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [BridgesDay] in namespaces of its own, with the packaged programs.
@Alone
class BridgesLabIT {
  private static final double EVERYBODY = 30;

  /// It is a second of pause and a connection; a machine with load 20 has taken 5 s.
  private static final double FAIL_OVER_MS_MAX = 20_000;

  /// Media passes no bridge. The same machine has paused for 1.7 s.
  private static final double GAP_MS_MAX = 5_000;

  @TempDir private Path directory;

  @Test
  void aBridgeThatIsKilledUnderLoadTakesNoRegistrationTokenCallOrReportWithItAndComesBack()
      throws Exception {
    String said = UnsharedRun.of(BridgesDay.class, "bridges", directory, Map.of());
    System.out.println(said.lines().filter(line -> line.contains(" ms: ")).toList());
    Unshared.Ended ended = new Unshared.Ended(0, said);
    assertThat(ended.numbers("reached by another bridge"))
        .as(said)
        .containsExactly(EVERYBODY, EVERYBODY);
    assertThat(ended.numbers("registrations at a survivor"))
        .as("those of the agents too: %s", said)
        .containsExactly(EVERYBODY + 2, EVERYBODY + 2);
    assertThat(said).contains("exchanges failed: []\n");
    assertThat(said)
        .contains("token of the dead bridge taken: true\n")
        .contains("tokens refused: 0\n")
        .contains("BYE by another bridge: 200\n")
        .contains("BYE to a user of the dead bridge: 200\n")
        .contains("calls left: [0, 0, 0]\n")
        .contains("reports missing: 0\n", "reports refused: 0\n");
    assertThat(number(said, "SNAPTs at another bridge after ms"))
        .as(said)
        .isLessThan(FAIL_OVER_MS_MAX);
    assertThat(number(said, "block known after ms")).as(said).isLessThan(FAIL_OVER_MS_MAX);
    assertThat(number(said, "end of the block known after ms"))
        .as(said)
        .isLessThan(FAIL_OVER_MS_MAX);
    assertThat(number(said, "media returned")).as(said).isPositive();
    assertThat(number(said, "media lost"))
        .as(said)
        .isLessThanOrEqualTo(number(said, "media returned") / 100);
    assertThat(number(said, "media gap ms")).as(said).isLessThan(GAP_MS_MAX);
    assertThat(said)
        .contains("REGISTER at the bridge that is back: 200\n")
        .contains("MESSAGE to its user: 200\n");
    assertThat(number(said, "reached by the bridge that is back")).as(said).isEqualTo(EVERYBODY);
  }
}
