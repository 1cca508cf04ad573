package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.signalling.SignallingStatus;
import io.viaduct.cnapt.signalling.SignallingStatus.Probes;
import io.viaduct.cnapt.tunnel.DataStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionStateTest {
  private static final Probes ALONE =
      new Probes("bridge.test", 23.46, 23.0, 0.0, 0.0, 5, 5, 9L, true);
  private static final Probes BESIDE =
      new Probes("bridge.test", 23.46, 23.0, 0.0, 0.0, 3, 3, 9L, false);
  private final SessionState state = new SessionState();

  private static DataStatus data(String pathState) {
    return new DataStatus("", "udp", pathState, null, null, 0, List.of(), 0, List.of(), List.of());
  }

  @Test
  void whereOnlySipPassesTheReasonSaysSoWithItsRoundTrip() {
    assertThat(state.reasons(data("dead"), ALONE))
        .contains("only SIP passes: the bridge bridge.test answers in 23.5 ms");
  }

  @Test
  void packetsPassWhileAPathLivesAlsoWithoutAControlConnection() {
    assertThat(state.passes(data("alive"))).isTrue();
    assertThat(state.passes(data("dead"))).isFalse();
    assertThat(new SignallingStatus("", "active", "active", "", ALONE).besideTunnel().probes())
        .isEqualTo(new Probes("bridge.test", 23.46, 23.0, 0.0, 0.0, 5, 5, 9L, false));
  }

  @Test
  void withoutProbesThatShowItNothingIsSaidAboutSip() {
    assertThat(state.reasons(data("dead"), BESIDE)).noneMatch(reason -> reason.contains("SIP"));
    assertThat(state.reasons(data("dead"), Probes.NONE))
        .noneMatch(reason -> reason.contains("SIP"));
  }
}
