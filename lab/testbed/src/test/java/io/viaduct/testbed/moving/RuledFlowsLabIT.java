package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.Alone;
import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [RuledFlowsDay] in namespaces of its own, with the packaged programs.
@Alone
class RuledFlowsLabIT {
  /// Time for 50 kB of each flow, one after the other: half a second at their rate, and the first
  /// retransmissions of TCP after the link was lost.
  private static final double GOES_ON_MS = 5_000;

  /// As long as the sender's retransmission timeout has grown while the link was away, and the hold
  /// time of a link that comes back.
  private static final double COMES_BACK_MS = 30_000;

  @TempDir private Path directory;

  @Test
  void flowsOfRulesThatOnlyReceiveGoOnWhenTheirLinkGoesAndComesBack() throws Exception {
    String said = UnsharedRun.of(RuledFlowsDay.class, "ruled-flows", directory, Map.of());
    assertThat(number(said, "ms until all go on by link B")).as(said).isLessThan(GOES_ON_MS);
    for (String method : RuledFlowsDay.METHODS) {
      for (String protocol : new String[] {"tcp", "udp"}) {
        String flow = method + " " + protocol;
        assertThat(number(said, flow + " goes on with link A, ms"))
            .as(said)
            .isLessThan(COMES_BACK_MS);
      }
    }
    assertThat(number(said, "own linkA tcp bytes without its link")).as(said).isZero();
    assertThat(number(said, "own linkA udp bytes without its link")).as(said).isZero();
  }
}
