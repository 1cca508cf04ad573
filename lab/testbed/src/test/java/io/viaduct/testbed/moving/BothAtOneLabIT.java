package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [BothAtOneDay] in namespaces of its own, with the packaged programs.
class BothAtOneLabIT {
  /// A busy machine needs up to 3 s for a hand-over; see [DrainUnderLoadLabIT].
  private static final double GAP_MS_MOST = 6_000;

  @TempDir private Path directory;

  @Test
  void aSessionMovesToTheSnaptAtWhichTheDeviceHasAnotherOneAndNoFlowOfBothBreaks()
      throws Exception {
    String said = UnsharedRun.of(BothAtOneDay.class, "both-at-one", directory, Map.of());
    assertThat(number(said, "bytes of the own session")).as(said).isGreaterThan(10_000);
    assertThat(number(said, "sessions at the one SNAPT")).as(said).isEqualTo(2);
    assertThat(number(said, "sessions handed over")).as(said).isEqualTo(1);
    assertThat(number(said, DrainUnderLoad.BROKEN)).as(said).isZero();
    assertThat(number(said, DrainUnderLoad.GAP_MS)).as(said).isLessThan(GAP_MS_MOST);
    assertThat(said)
        .contains("SIP from the same address: true")
        .contains("SIP request of the host answered: true");
    assertThat(number(said, "charged percent")).as(said).isBetween(99.9, 100.1);
    assertThat(number(said, "reports lost")).as(said).isZero();
    assertThat(number(said, "intervals billed twice")).as(said).isZero();
    assertThat(number(said, "sessions at the first SNAPT")).as(said).isEqualTo(1);
  }
}
