package io.viaduct.cnapt.mobility;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.mobility.CarrierChoice.Decision;
import io.viaduct.tunnel.path.Carrier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CarrierChoiceTest {
  private static final long MS = 1_000_000;

  private final CarrierChoice choice =
      new CarrierChoice(
          new MobilitySettings(
              Duration.ofMillis(300), Duration.ofSeconds(10), Duration.ofMillis(20), 4),
          0);
  private long nowMs;
  private boolean udpPasses;
  private boolean controlPasses = true;
  private boolean busy = true;

  /// Runs until a time, and returns the decisions with their times. Every 100 ms, the carrier of
  /// the data is probed. The answer is immediate unless the network blocks it.
  private List<String> run(long untilMs) {
    List<String> decided = new ArrayList<>();
    for (; nowMs < untilMs; nowMs++) {
      long now = nowMs * MS;
      if (busy) {
        choice.sent(now);
      }
      if (nowMs % 100 == 0) {
        probe(choice.carrier(), now);
      }
      Decision decision = choice.tick(now);
      if (decision == Decision.PROBE_UDP) {
        probe(Carrier.UDP, now);
      } else if (decision != Decision.WAIT) {
        decided.add(decision + " " + nowMs);
      }
    }
    return decided;
  }

  private void probe(Carrier by, long now) {
    if (by == Carrier.UDP && choice.carrier() == Carrier.UDP) {
      choice.probed(now);
    }
    if (by == Carrier.UDP && udpPasses) {
      choice.heardByUdp(now);
    } else if (by == Carrier.CONTROL && controlPasses) {
      choice.heardByControl();
    }
  }

  @Test
  void withoutAnswerByUdpTheControlConnectionCarriesWithinAThirdOfASecond() {
    choice.controlStands(true);
    assertThat(run(20_000)).containsExactly("TO_CONTROL 300");
  }

  @Test
  void aLongerRoundTripWaitsLongerAndNeverLongerThanASecond() {
    choice.controlStands(true);
    choice.roundTrip(100 * MS);
    assertThat(run(5_000)).containsExactly("TO_CONTROL 600");
  }

  @Test
  void aRoundTripOfSecondsWaitsOneSecond() {
    choice.controlStands(true);
    choice.roundTrip(3_000 * MS);
    assertThat(run(5_000)).containsExactly("TO_CONTROL 1000");
  }

  @Test
  void withoutControlConnectionThereIsNothingToChoose() {
    assertThat(run(5_000)).isEmpty();
    choice.controlStands(true);
    assertThat(run(5_010)).as("known for long").containsExactly("TO_CONTROL 5000");
    choice.controlStands(false);
    assertThat(choice.carrier()).isEqualTo(Carrier.UDP);
  }

  @Test
  void oneLostProbeChangesNothing() {
    choice.controlStands(true);
    choice.probed(0);
    choice.probed(100 * MS);
    choice.heardByUdp(105 * MS);
    assertThat(choice.nextTickNs()).isEqualTo(Long.MAX_VALUE);
    assertThat(choice.tick(10_000 * MS)).isEqualTo(Decision.WAIT);
  }

  @Test
  void dataReturnHalfASecondAfterUdpWorksAgainWhileThereIsTraffic() {
    choice.controlStands(true);
    run(10_000);
    udpPasses = true;
    List<String> decided = run(20_000);
    assertThat(decided).hasSize(1);
    assertThat(Long.parseLong(decided.getFirst().replace("TO_UDP ", "")))
        .isBetween(10_500L, 11_700L);
  }

  @Test
  void anAnswerNowAndThenIsNoReturn() {
    choice.controlStands(true);
    run(10_000);
    for (int i = 0; i < 20; i++) {
      udpPasses = true;
      run(nowMs + 350);
      udpPasses = false;
      assertThat(run(nowMs + 2_000)).isEmpty();
    }
  }

  @Test
  void aUdpThatFailsRightAfterEachReturnIsTriedLongerEachTime() {
    choice.controlStands(true);
    List<Long> holds = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      udpPasses = false;
      run(nowMs + 3_000);
      assertThat(choice.carrier()).isEqualTo(Carrier.CONTROL);
      udpPasses = true;
      long since = nowMs;
      while (choice.carrier() == Carrier.CONTROL) {
        run(nowMs + 10);
      }
      holds.add(nowMs - since);
    }
    assertThat(holds.get(7)).isBetween(60_000L, 62_000L);
    assertThat(holds.get(3)).isBetween(4_000L, 5_300L);
    run(nowMs + 31_000);
    udpPasses = false;
    run(nowMs + 3_000);
    udpPasses = true;
    assertThat(run(nowMs + 2_000)).as("half a minute of peace forgives").hasSize(1);
  }

  @Test
  void whileTheControlConnectionIsSilentTooTheFirstAnswerByUdpLeadsBackAtOnce() {
    choice.controlStands(true);
    controlPasses = false;
    run(1_000);
    assertThat(choice.carrier()).isEqualTo(Carrier.CONTROL);
    udpPasses = true;
    List<String> decided = run(2_000);
    assertThat(decided).hasSize(1);
    assertThat(Long.parseLong(decided.getFirst().replace("TO_UDP ", ""))).isLessThan(1_110);
  }

  @Test
  void inSilenceUdpIsProbedEveryTenSecondsAndWithTrafficAtOnceAgain() {
    busy = false;
    choice.controlStands(true);
    run(100_000);
    int probes = 0;
    for (; nowMs < 160_000; nowMs++) {
      probes += choice.tick(nowMs * MS) == Decision.PROBE_UDP ? 1 : 0;
    }
    assertThat(probes).isBetween(5, 7);
    choice.sent(nowMs * MS);
    assertThat(choice.nextTickNs()).isLessThanOrEqualTo((nowMs + 1000) * MS);
  }
}
