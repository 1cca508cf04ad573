package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.Alone;
import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [SeveralLinksDay] in namespaces of its own, with the packaged programs.
@Alone
class SeveralLinksLabIT {
  /// Twice what two ways with two copies each lose at 10 %: 2 %.
  private static final double LOST_MOST = 0.04;

  @TempDir private Path directory;

  @Test
  void oneFlowTakesBothLinksAndTwoPathsLoseOnlyWhatBothLose() throws Exception {
    String said = UnsharedRun.of(SeveralLinksDay.class, "several-links", directory, Map.of());
    assertThat(number(said, "UP percent by link B")).as(said).isBetween(10.0, 80.0);
    assertThat(number(said, "DOWN percent by link B")).as(said).isBetween(20.0, 80.0);
    assertThat(number(said, "UP gain")).as(said).isGreaterThan(SeveralLinksDay.GAIN_LEAST);
    assertThat(number(said, "DOWN gain")).as(said).isGreaterThan(SeveralLinksDay.GAIN_LEAST);
    assertThat(said)
        .containsPattern("line   line 1: .*\nmethod all\n")
        .containsPattern(
            "path   link[AB], since [\\d.]+ s, a second copy of each packet by link[AB]\n")
        .containsPattern("why    it has the least delay with its loss \\(link[AB] [\\d.]+ ms = ");
    assertThat(number(said, "resequenced at the device")).as(said).isPositive();
    assertThat(number(said, "resequenced at the SNAPT")).as(said).isPositive();
    assertThat(number(said, "lost on both ways"))
        .as(said)
        .isLessThan(LOST_MOST * number(said, "sent by two paths"));
  }
}
