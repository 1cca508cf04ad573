package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.HelloTerms;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.Verdict;
import org.junit.jupiter.api.Test;

/// An end of the version before names no number of paths, and has one (docs/protocol.md, section
/// 4.5).
class AgreedPathsTest {
  private static final int HISTORY_BYTES = 65_536;
  private static final TunnelLimits PRESENT =
      new TunnelLimits(1500, HISTORY_BYTES, TunnelLimits.PATHS_MAX, TunnelLimits.FEATURES);
  private static final TunnelLimits BEFORE = new TunnelLimits(1500, HISTORY_BYTES);

  /// Returns what this version agrees on with an end that names this number; 0 is none.
  private static TunnelLimits agreedWith(int paths) {
    return PRESENT.agreed(1500, HISTORY_BYTES, paths, TunnelLimits.FEATURES);
  }

  @Test
  void theSmallerNumberCountsAndWithoutOneItIsOne() {
    assertThat(agreedWith(0).paths()).isEqualTo(1);
    assertThat(agreedWith(-1).paths()).isEqualTo(1);
    assertThat(agreedWith(1).paths()).isEqualTo(1);
    assertThat(agreedWith(3).paths()).isEqualTo(3);
    assertThat(agreedWith(8).paths()).isEqualTo(8);
    assertThat(agreedWith(Integer.MAX_VALUE).paths()).isEqualTo(8);
  }

  @Test
  void aHelloWithoutANumberGetsOnePathAndNoFeatureOfSeveral() throws Exception {
    Hello hello =
        Hello.newBuilder()
            .setPathMtu(1500)
            .setHistoryBytes(HISTORY_BYTES)
            .addAeads(Aead.AES_256_GCM)
            .addAllFeatures(TunnelLimits.FEATURES)
            .build();
    TunnelLimits limits =
        HelloTerms.of(hello, SessionSecret.of(new byte[SessionSecret.BYTES]), PRESENT).limits();
    assertThat(limits.paths()).isEqualTo(1);
    assertThat(limits.features())
        .containsExactlyInAnyOrder(Feature.WAITING_TIMES, Feature.PATH_TRIALS);
  }

  /// Sends a probe of the agent. @return how many datagrams the SNAPT could not read
  private static long unreadable(LoopbackRig rig) {
    rig.probe();
    rig.deliver();
    return LoopbackRig.count(rig.snapt, Verdict.MALFORMED);
  }

  @Test
  void theProbeOfADeviceNamesNoPathToASnaptOfTheVersionBefore() {
    try (LoopbackRig rig = LoopbackRig.between(agreedWith(0), BEFORE)) {
      assertThat(unreadable(rig)).isZero();
      assertThat(rig.agent.paths(rig.nowNs).getFirst().roundTripUs()).as("answered").isZero();
    }
  }

  @Test
  void theProbeOfADeviceOfTheVersionBeforeNamesNoPathAndIsAnswered() {
    try (LoopbackRig rig = LoopbackRig.between(BEFORE, agreedWith(0))) {
      assertThat(unreadable(rig)).isZero();
      assertThat(rig.agent.paths(rig.nowNs).getFirst().roundTripUs()).as("answered").isZero();
    }
  }

  @Test
  void aPathThatWasNotAgreedOnMakesAProbeUnreadable() {
    try (LoopbackRig rig = LoopbackRig.between(agreedWith(8), BEFORE)) {
      assertThat(unreadable(rig)).isEqualTo(1);
      assertThat(rig.agent.paths(rig.nowNs).getFirst().roundTripUs()).isNaN();
    }
  }
}
