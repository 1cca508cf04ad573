package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [PartitionDay] in namespaces of its own, with the packaged programs.
class PartitionLabIT {
  /// The target is 300 ms at the 95th percentile on an idle machine.
  private static final double SERVED_MS_MOST = 2_000;

  @TempDir private Path directory;

  @Test
  void newFlowsLeaveASnaptThatIsCutOffEachTimeAndItsConnectionLivesOn() throws Exception {
    String said = UnsharedRun.of(PartitionDay.class, "partition", directory, Map.of());
    List<Double> served =
        said.lines()
            .filter(line -> line.startsWith(KilledSnapt.SERVED_MS))
            .map(line -> Double.valueOf(line.substring(line.indexOf(':') + 1).strip()))
            .toList();
    System.out.println(KilledSnapt.SERVED_MS + ": " + served);
    assertThat(served).as(said).hasSize(PartitionDay.CUTS).allMatch(ms -> ms < SERVED_MS_MOST);
    assertThat(said).contains("held connection answers: true\n").contains("refused: 0\n");
  }
}
