package io.viaduct.tunnel.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.viaduct.tunnel.wire.PathMessage;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PathMeasurementTest {
  private static final InetSocketAddress A = new InetSocketAddress("192.0.2.1", 1);
  private static final InetSocketAddress B = new InetSocketAddress("192.0.2.2", 2);
  private static final long MS = 1_000_000;

  @Test
  void smoothingWeighsASampleByTheSilenceBeforeIt() {
    RttEstimator estimator = new RttEstimator(new RttEstimator.Weights(0.2, 1));
    estimator.sample(0, 100);
    assertThat(estimator.sample(1, 150)).isCloseTo(110.000000, within(5e-7));
    assertThat(estimator.sample(2.5, 90)).isCloseTo(101.448668, within(5e-7));
    assertThat(estimator.sample(0.4, 200)).isCloseTo(109.863956, within(5e-7));
  }

  @Test
  void aSampleBelowTheMeanMayWeighMore() {
    RttEstimator estimator = new RttEstimator(new RttEstimator.Weights(0.2, 0.6, 1));
    estimator.sample(0, 100);
    assertThat(estimator.sample(1, 150)).isCloseTo(110, within(5e-7));
    assertThat(estimator.sample(1, 60)).isCloseTo(80, within(5e-7));
    assertThat(estimator.sample(2, 30)).isCloseTo(38, within(5e-7));
  }

  @Test
  void theFirstAnswerOfANewLinkIsForgottenWithTheNextOne() {
    ProbeExchange probes = new ProbeExchange();
    long nowUs = answered(probes, 0, 166_000);
    assertThat(probes.smoothedRoundTripUs()).isEqualTo(166_000);
    nowUs = answered(probes, nowUs - 9_950_000, 60_000); // 50 ms later
    answered(probes, nowUs, 62_000);
    assertThat(probes.smoothedRoundTripUs()).isEqualTo(60_000);
  }

  @Test
  void aBusyProcessorDisturbsTheMeanForAShortTime() {
    ProbeExchange probes = new ProbeExchange();
    long nowUs = 0;
    for (int i = 0; i < 6; i++) {
      nowUs = answered(probes, nowUs, 60_000);
    }
    nowUs = answered(probes, nowUs, 400_000);
    for (int i = 0; i < 3; i++) {
      nowUs = answered(probes, nowUs - 8_000_000, 60_000); // every 2 s
    }
    assertThat(probes.smoothedRoundTripUs()).isBetween(60_000.0, 65_000.0);
  }

  @Test
  void aPathGetsWorseWhileItsRoundTripIsClearlyAboveTheUsualOne() {
    ProbeExchange probes = new ProbeExchange();
    long nowUs = 0;
    for (int i = 0; i < 20; i++) {
      nowUs = answered(probes, nowUs, 40_000);
    }
    assertThat(probes.isWorse()).isFalse();
    nowUs = answered(probes, nowUs, 55_000);
    assertThat(probes.isWorse()).as("less than 20 ms more").isFalse();
    nowUs = answered(probes, nowUs, 150_000);
    assertThat(probes.isWorse()).isTrue();
    assertThat(probes.usualRoundTripUs()).isBetween(40_000.0, 70_000.0);
    for (int i = 0; i < 40; i++) {
      nowUs = answered(probes, nowUs, 150_000);
    }
    assertThat(probes.isWorse()).as("it has become usual").isFalse();
    probes.forget();
    assertThat(probes.usualRoundTripUs()).isNaN();
    assertThat(probes.isWorse()).isFalse();
  }

  private static long answered(ProbeExchange probes, long nowUs, long roundTripUs) {
    PathMessage.Probe probe = probes.next(nowUs);
    long t2 = nowUs + roundTripUs / 2;
    probes.answered(
        new PathMessage.ProbeReply(probe.number(), nowUs, t2, t2, PathMessage.NO_COUNT),
        nowUs + roundTripUs);
    return nowUs + 10_000_000;
  }

  @Test
  void theOffsetIsThatOfTheQuickestOfTheLastEightSamples() {
    ClockOffset offset = new ClockOffset();
    assertThat(offset.offset()).isNaN();
    assertThat(offset.sample(1000, 1190, 1191, 1100)).isEqualTo(99);
    assertThat(offset.offset()).isEqualTo(140.5);
    for (int i = 0; i < 7; i++) {
      offset.sample(0, 500, 500, 300); // slower, and skewed by its queue
      assertThat(offset.offset()).isEqualTo(140.5);
    }
    offset.sample(0, 500, 500, 300);
    assertThat(offset.offset()).isEqualTo(350);
  }

  private static Bindings.Source heard(
      Bindings binding, InetSocketAddress from, boolean newest, long nowNs) {
    int bytes = 61; // of a CHALLENGE with its headers, and of the datagram
    return binding.heard(from, 0, newest, bytes, bytes, nowNs);
  }

  @Test
  void theBindingMovesOnlyToTheAddressThatAnswersItsChallenge() {
    Bindings binding = new Bindings(1, new SplittableRandom(1), (_, _) -> true);
    assertThat(heard(binding, A, true, 0)).isEqualTo(Bindings.Source.FIRST);
    assertThat(heard(binding, A, true, 0)).isEqualTo(Bindings.Source.BOUND);
    assertThat(heard(binding, B, false, 0)).isEqualTo(Bindings.Source.ELSEWHERE);
    assertThat(heard(binding, B, true, 0)).isEqualTo(Bindings.Source.CHALLENGE);
    long nonce = binding.nonce();
    assertThat(heard(binding, B, true, 49 * MS)).isEqualTo(Bindings.Source.ELSEWHERE);
    assertThat(heard(binding, B, true, 50 * MS)).isEqualTo(Bindings.Source.CHALLENGE);
    assertThat(binding.answered(B, nonce + 1, 0, 51 * MS)).isFalse();
    assertThat(binding.answered(A, nonce, 0, 51 * MS)).isFalse();
    assertThat(binding.address(0)).isEqualTo(A);
    assertThat(binding.answered(B, nonce, 0, 51 * MS)).isTrue();
    assertThat(binding.address(0)).isEqualTo(B);
    assertThat(binding.answered(B, nonce, 0, 52 * MS)).isFalse();
  }

  @Test
  void atMostFourAddressesAreChallengedAndTheyAreForgottenAfterThreeSeconds() {
    Bindings binding = new Bindings(1, new SplittableRandom(1), (_, _) -> true);
    heard(binding, A, true, 0);
    for (int i = 0; i < 4; i++) {
      assertThat(heard(binding, new InetSocketAddress("192.0.2.9", 10 + i), true, 0))
          .isEqualTo(Bindings.Source.CHALLENGE);
    }
    assertThat(heard(binding, B, true, 1)).isEqualTo(Bindings.Source.FULL);
    assertThat(heard(binding, B, true, 3001 * MS)).isEqualTo(Bindings.Source.CHALLENGE);
  }
}
