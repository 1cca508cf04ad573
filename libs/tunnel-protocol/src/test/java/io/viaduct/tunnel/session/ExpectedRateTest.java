package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.pacing.KnownRate;
import io.viaduct.tunnel.pacing.LinkRate;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The rates of links that a SNAPT takes over with a session of another SNAPT.
class ExpectedRateTest {
  private static final KnownRate KNOWN = new KnownRate(1e6, 1.25e6);

  private static double rate(PathsRig rig, int path) {
    return rig.snapt.paths(rig.nowNs).get(path).spareBitPerSecond();
  }

  private static PathsRig taking(List<LinkRate> rates) {
    PathsRig rig = new PathsRig(8, 10, 30);
    rig.snapt.expectRates(rates, rig.nowNs);
    rig.agent.link(0, "wlan0");
    rig.agent.link(1, "wwan0");
    return rig;
  }

  @Test
  void aPathBeginsWithTheRateOfTheLinkThatTheDeviceNames() {
    try (PathsRig rig = taking(List.of(new LinkRate("wwan0", KNOWN)))) {
      rig.openAll();
      assertThat(rig.snapt.linkRates(rig.nowNs))
          .singleElement()
          .matches(each -> each.link().equals("wwan0"))
          .matches(each -> each.rate().limit() <= KNOWN.limit());
      assertThat(rate(rig, 0)).as("the other link was never full").isInfinite();
      assertThat(rate(rig, 1)).isFinite();
    }
  }

  @Test
  void aLinkThatIsNamedLateIsMeasuredAnew() {
    try (PathsRig rig = taking(List.of(new LinkRate("wwan0", KNOWN)))) {
      rig.advanceMs(10_001);
      rig.openAll();
      assertThat(rig.snapt.linkRates(rig.nowNs)).isEmpty();
      assertThat(rate(rig, 1)).isInfinite();
    }
  }
}
