package io.viaduct.sip.useragent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.sip.RecordedSeed;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AttemptTest {
  private final long seed = RecordedSeed.take("AttemptTest");
  private final Random random = new Random(seed);
  private final Attempt attempt = new Attempt(new BackOff(Duration.ofSeconds(60), random), 8_000);

  @Test
  void aRequestIsDueAtOnceAndAfterAGrantOnlyForRenewal() {
    assertThat(attempt.isDue(0)).isFalse();
    attempt.want(0);
    assertThat(attempt.isDue(0)).isTrue();
    attempt.granted(attempt.begin(0), 0, 1_000);
    assertThat(attempt.phase()).isEqualTo(Phase.ACTIVE);
    assertThat(attempt.isDue(999)).isFalse();
    assertThat(attempt.isDue(1_000)).isTrue();
  }

  @Test
  void anUnansweredRequestIsTriedAgainAfterABackOff() {
    attempt.want(0);
    attempt.begin(0);
    assertThat(attempt.isDue(7_999)).isFalse();
    assertThat(attempt.isDue(8_000)).as("counts as failed").isFalse();
    assertThat(attempt.phase()).isEqualTo(Phase.WAITING);
    assertThat(attempt.isDue(9_001)).as("seed %d", seed).isTrue();
  }

  @Test
  void theAnswerToASupersededRequestChangesNothing() {
    attempt.want(0);
    int old = attempt.begin(0);
    attempt.want(10);
    int current = attempt.begin(10);
    attempt.failed(old, 20, 0);
    assertThat(attempt.phase()).isEqualTo(Phase.TRYING);
    attempt.granted(current, 20, 1_000);
    assertThat(attempt.phase()).isEqualTo(Phase.ACTIVE);
  }

  @Test
  void aServersRetryAfterIsKeptAndABackOffFollows() {
    attempt.want(0);
    attempt.failed(attempt.begin(0), 0, 120_000);
    assertThat(attempt.isDue(120_499)).as("seed %d", seed).isFalse();
    assertThat(attempt.isDue(121_000)).as("seed %d", seed).isTrue();
  }

  @Test
  void userAgentsThatAreRefusedTogetherDoNotComeBackTogether() {
    long early = 0;
    for (int i = 0; i < 1_000; i++) {
      Attempt one = new Attempt(new BackOff(Duration.ofSeconds(60), random), 8_000);
      one.want(0);
      one.failed(one.begin(0), 0, 2_000);
      early += one.isDue(2_750) ? 1 : 0;
    }
    assertThat(early).as("of 1000, seed %d", seed).isBetween(400L, 600L);
  }

  @Test
  void aTokenThatOvertakesTheAnswerStillBringsTheRenewalForward() {
    attempt.want(0);
    int generation = attempt.begin(0);
    attempt.renewBy(0, 45_000);
    attempt.granted(generation, 0, 480_000);
    assertThat(attempt.isDue(44_999)).isFalse();
    assertThat(attempt.isDue(45_000)).isTrue();
  }

  @Test
  void aNewTokenPutsTheRenewalOffAgainButNotBehindTheGrant() {
    attempt.want(0);
    attempt.granted(attempt.begin(0), 0, 480_000);
    attempt.renewBy(0, 45_000);
    attempt.renewBy(0, 81_000);
    assertThat(attempt.isDue(80_999)).isFalse();
    attempt.renewBy(0, 900_000);
    assertThat(attempt.isDue(479_999)).isFalse();
    assertThat(attempt.isDue(480_000)).isTrue();
  }

  @Test
  void aTokenThatHasEndedBringsNoRenewal() {
    attempt.want(0);
    attempt.granted(attempt.begin(0), 0, 480_000);
    attempt.renewBy(10_000, 9_999);
    assertThat(attempt.isDue(479_999)).isFalse();
  }

  @Test
  void nothingIsRenewedInLessThanHalfASecond() {
    attempt.want(0);
    attempt.granted(attempt.begin(0), 0, 0);
    attempt.renewBy(0, 1);
    assertThat(attempt.isDue(499)).isFalse();
    assertThat(attempt.isDue(500)).isTrue();
  }

  @Test
  void aSuccessOfTwoMinutesIsRequestedAgainAtOnceWhenItIsLost() {
    attempt.want(0);
    attempt.granted(attempt.begin(0), 0, 480_000);
    attempt.lostConnection(120_000);
    assertThat(attempt.isDue(120_000)).isTrue();
  }

  @Test
  void repeatedLossesSoonAfterAGrantLengthenTheBackOff() {
    attempt.want(0);
    long nowMs = 0;
    long leastMs = 500;
    for (int i = 0; i < 8; i++) {
      attempt.granted(attempt.begin(nowMs), nowMs, nowMs + 480_000);
      attempt.lostConnection(nowMs);
      assertThat(attempt.isDue(nowMs + leastMs - 1)).as("seed %d, break %d", seed, i).isFalse();
      nowMs += 2 * leastMs;
      assertThat(attempt.isDue(nowMs)).as("seed %d, break %d", seed, i).isTrue();
      leastMs = Math.min(30_000, 2 * leastMs);
    }
  }

  @Test
  void waitsDoubleToTheLimitAndAreSpread() {
    BackOff backOff = new BackOff(Duration.ofSeconds(60), random);
    long whole = 1_000;
    for (int i = 0; i < 30; i++) {
      assertThat(backOff.nextMs()).as("seed %d, wait %d", seed, i).isBetween(whole / 2, whole);
      whole = Math.min(60_000, whole * 2);
    }
    backOff.reset();
    assertThat(backOff.nextMs()).isLessThanOrEqualTo(1_000);
  }

  @Test
  void addressesOfASnaptAreReadAndThoseThatAreNoHostsAreLeftOut() {
    SessionGrant grant =
        SessionGrant.parse(
            """
            {"sid":"s","relays":[{"id":"snapt-1","host":"h","controlPort":443,"dataPort":444,"prio":0,
              "addresses":["192.0.2.1","h.example",7,"224.0.0.1","0.0.0.0","fe80::1","2001:db8::1"]}],
             "token":"secret","kid":"k","exp":1000,"reportSec":60,"icid":"i"}\
            """);
    assertThat(grant.relays().getFirst().addresses())
        .containsExactly(InetAddress.ofLiteral("192.0.2.1"), InetAddress.ofLiteral("2001:db8::1"));
  }

  @Test
  void theRestOfATokenIsCountedByTheBridgesClockIfItIsTold() {
    String grant =
        """
        {"sid":"s","relays":[],"token":"t","kid":"k","exp":600000,%s"reportSec":60,"icid":"i"}\
        """;
    long ourMs = 3_700_000; // an hour and a bit
    SessionGrant told = SessionGrant.parse(grant.formatted("\"now\":100000,"));
    assertThat(told.tellsTime()).isTrue();
    assertThat(told.leftMs(ourMs)).isEqualTo(500_000);
    SessionGrant silent = SessionGrant.parse(grant.formatted(""));
    assertThat(silent.tellsTime()).isFalse();
    assertThat(silent.leftMs(ourMs)).isEqualTo(-3_100_000);
  }

  @Test
  void aGrantIsReadAndItsTokenNeverShown() {
    SessionGrant grant =
        SessionGrant.parse(
            """
            {"sid":"s","relays":[{"id":"snapt-1","host":"h","controlPort":443,"dataPort":444,"prio":0}],
             "token":"secret","kid":"k","exp":1000,"reportSec":60,"icid":"i","later":true}\
            """);
    assertThat(grant.relays())
        .containsExactly(
            new SessionGrant.Relay("snapt-1", "h", 443, 444, 0, "", List.of(), List.of()));
    assertThat(grant.expires()).isEqualTo(Instant.ofEpochSecond(1));
    assertThat(grant.toString()).doesNotContain("secret");
    assertThatThrownBy(() -> SessionGrant.parse("{\"sid\":\"s\"}"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SessionGrant.parse("[")).isInstanceOf(IllegalArgumentException.class);
  }
}
