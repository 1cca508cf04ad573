package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.Alone;
import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [TwoSnaptsDay] in namespaces of its own, with the packaged programs.
@Alone
class TwoSnaptsLabIT {
  /// Of what one gateway carries; the target of the benchmark is 1.8 on an idle machine.
  private static final double SUM_LEAST = 1.5;

  @TempDir private Path directory;

  @Test
  void lowDelayTakesTheNearSnaptAndThroughputTheOtherOne() throws Exception {
    String said = UnsharedRun.of(TwoSnaptsDay.class, "two-snapts", directory, Map.of());
    assertThat(said).contains("SNAPTs in use: 2\n");
    assertThat(said).contains("stream by: snapt-1 ").contains("TCP by: snapt-2 ");
    assertThat(said).contains("why stream: least cost of class HT_LD");
    assertThat(number(said, TwoGateways.SUM)).as(said).isGreaterThan(SUM_LEAST);
    assertThat(number(said, TwoGateways.FAR_BYTES)).as(said).isZero();
    assertThat(number(said, "charged percent")).as(said).isBetween(97.0, 101.0);
    assertThat(said).contains("call by: snapt-1 ").contains("the held flow stays at: snapt-1 ");
    assertThat(number(said, "told after ms")).as(said).isLessThan(5_000);
  }
}
