package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.signalling.SignallingStatus;
import io.viaduct.cnapt.signalling.SignallingStatus.Probes;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.tunnel.control.v1.CreditNotice;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SessionStateTest {
  private static final Probes ALONE =
      new Probes("bridge.test", 23.46, 23.0, 0.0, 0.0, 5, 5, 9L, true);
  private static final Probes BESIDE =
      new Probes("bridge.test", 23.46, 23.0, 0.0, 0.0, 3, 3, 9L, false);
  private final SessionState state = new SessionState();

  private static DataStatus data(String pathState) {
    return new DataStatus(
        "", "udp", pathState, null, null, 0, List.of(), 0, List.of(), Map.of(), List.of(),
        List.of(), List.of());
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

  private static CreditNotice credit(CreditNotice.State state) {
    return CreditNotice.newBuilder().setState(state).setAvailableMicrodenarii(1_250_000).build();
  }

  @Test
  void lowCreditIsToldButDegradesNothing() {
    assertThat(state.credit(credit(CreditNotice.State.LOW)))
        .isEqualTo("the credit is low: 1.250000 den are left");
    assertThat(state.control(Instant.EPOCH).credit()).contains("1.250000 den");
    assertThat(state.reasons(data("alive"), ALONE)).noneMatch(each -> each.contains("credit"));
  }

  @Test
  void refusedFlowsAreAReasonUntilThereIsCreditAgain() {
    state.credit(credit(CreditNotice.State.EXHAUSTED));
    assertThat(state.reasons(data("alive"), ALONE)).anyMatch(each -> each.contains("used up"));
    assertThat(state.credit(credit(CreditNotice.State.SUFFICIENT))).isEmpty();
    assertThat(state.reasons(data("alive"), ALONE)).noneMatch(each -> each.contains("credit"));
  }

  @Test
  void withoutProbesThatShowItNothingIsSaidAboutSip() {
    assertThat(state.reasons(data("dead"), BESIDE)).noneMatch(reason -> reason.contains("SIP"));
    assertThat(state.reasons(data("dead"), Probes.NONE))
        .noneMatch(reason -> reason.contains("SIP"));
  }
}
