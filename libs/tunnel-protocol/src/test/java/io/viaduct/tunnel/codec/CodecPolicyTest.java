package io.viaduct.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import org.junit.jupiter.api.Test;

class CodecPolicyTest {
  private static final long BLOCK_NS_MAX = 500_000;
  private final HistoryMemory loop = new HistoryMemory(BackgroundWork.INLINE, () -> 0, 1 << 20);
  private final CodecPolicy policy = new CodecPolicy(loop.costs(), true, BLOCK_NS_MAX);
  private long nowNs = 1_000_000_000;

  /// Offers payload at this rate for a second. @return the step at the end
  private int offer(double bytesPerSecond) {
    for (int i = 0; i < 1_000; i++) {
      nowNs += 1_000_000;
      policy.offered((int) (bytesPerSecond / 1_000), nowNs);
    }
    return policy.step(nowNs);
  }

  @Test
  void aLowRateGetsTheBestCodec() {
    assertThat(CodecPolicy.level(offer(16_000))).isEqualTo(12);
  }

  @Test
  void aHigherRateGetsACheaperCodec() {
    int before = CodecCosts.STEPS;
    for (double rate : new double[] {1e4, 4e6, 8e6, 2e7, 3e7, 8e7, 1e9}) {
      int step = offer(rate);
      assertThat(step).as("%s bytes/s", rate).isLessThan(before);
      before = step;
    }
    assertThat(before).isEqualTo(CodecCosts.NONE);
  }

  @Test
  void compressingABlockTakesNoLongerThanItsClassAllows() {
    offer(16_000);
    assertThat(levelFor(3_000)).as("first guess 300 µs").isEqualTo(12);
    loop.costs().observe(CodecCosts.STEPS - 1, 32_768, 32_768 * 300L);
    assertThat(levelFor(3_000)).as("0.9 ms").isEqualTo(9);
    for (int i = 0; i < 200; i++) {
      policy.step(100, nowNs);
    }
    assertThat(levelFor(100)).as("30 µs").isEqualTo(12);
  }

  @Test
  void aStepThatWasSlowWhenColdIsTriedAgain() {
    offer(16_000);
    for (int i = 0; i < 10; i++) {
      loop.costs().observe(CodecCosts.STEPS - 1, 3_000, 25_000_000);
    }
    int level = levelFor(3_000);
    assertThat(level).isLessThan(12);
    for (int i = 0; i < 1_000 && level < 12; i++) {
      int step = CodecPolicy.stepOf(level);
      loop.costs().observe(step, 3_000, (long) (3_000 * CodecCosts.FIRST_GUESS[step]));
      level = levelFor(3_000);
    }
    assertThat(level).isEqualTo(12);
  }

  private int levelFor(int bytes) {
    nowNs += 5_000_000;
    policy.step(bytes, nowNs);
    nowNs += 5_000_000;
    return CodecPolicy.level(policy.step(bytes, nowNs));
  }

  @Test
  void theCodecReturnsWhenTheRateFalls() {
    assertThat(offer(1e9)).isEqualTo(CodecCosts.NONE);
    assertThat(offer(1e4)).isEqualTo(CodecCosts.STEPS - 1);
  }

  @Test
  void aFullLinkGetsALargerShareOfTheProcessor() {
    int before = offer(1.1e7);
    policy.limitedByLink(nowNs);
    for (int i = 0; i < 100; i++) {
      nowNs += 1_000_000;
      policy.limitedByLink(nowNs);
      policy.offered(11_000, nowNs);
    }
    assertThat(policy.step(nowNs)).isGreaterThan(before);
    offer(1.1e7);
    assertThat(policy.step(nowNs)).isEqualTo(before);
    policy.pacing(11_500_000);
    assertThat(offer(1.1e7)).isGreaterThan(before);
  }

  @Test
  void aBurstThatTheLinkAcceptsIsNotCompressed() {
    assertThat(offer(1e4)).isEqualTo(CodecCosts.STEPS - 1);
    policy.arrived(BurstDetector.BYTES_PER_MS - 1, true, nowNs);
    nowNs += 1_000_000;
    policy.arrived(BurstDetector.BYTES_PER_MS - 1, true, nowNs);
    assertThat(policy.step(nowNs)).isEqualTo(CodecCosts.STEPS - 1);
    policy.arrived(1, true, nowNs);
    assertThat(policy.step(nowNs)).isEqualTo(CodecCosts.NONE);
    assertThat(offer(1e4)).as("a second later").isEqualTo(CodecCosts.STEPS - 1);
  }

  @Test
  void aBurstOfOneSessionLeavesTheCodecToTheOthers() {
    CodecPolicy other = new CodecPolicy(loop.costs(), true, BLOCK_NS_MAX);
    for (int i = 0; i < 1_000; i++) {
      nowNs += 1_000_000;
      policy.arrived(190_000, true, nowNs);
      policy.step(nowNs);
      policy.offered(190_000, nowNs);
      other.offered(10, nowNs);
    }
    assertThat(policy.step(nowNs)).isEqualTo(CodecCosts.NONE);
    assertThat(other.step(nowNs)).isEqualTo(CodecCosts.STEPS - 1);
    policy.limitedByLink(nowNs);
    nowNs += 5_000_000;
    assertThat(policy.step(nowNs)).as("the burst lasts").isEqualTo(CodecCosts.NONE);
  }

  @Test
  void theRateOfAllSessionsTogetherCounts() {
    CodecPolicy other = new CodecPolicy(loop.costs(), true, BLOCK_NS_MAX);
    for (int i = 0; i < 1_000; i++) {
      nowNs += 1_000_000;
      policy.offered(60_000, nowNs);
      other.offered(60_000, nowNs);
    }
    assertThat(policy.step(nowNs)).isEqualTo(CodecCosts.NONE);
  }

  @Test
  void packetsThatWaitedForABusyLoopAreNoBurst() {
    assertThat(offer(1e4)).isEqualTo(CodecCosts.STEPS - 1);
    for (int i = 0; i < 100; i++) {
      policy.arrived(1_360, false, nowNs);
    }
    assertThat(policy.step(nowNs)).isEqualTo(CodecCosts.STEPS - 1);
  }

  @Test
  void packetsAgainstABurstAreNotCompressed() {
    assertThat(offer(1e4)).isEqualTo(CodecCosts.STEPS - 1);
    policy.answered(10 * BurstDetector.BYTES_PER_MS - 1, nowNs);
    assertThat(policy.step(nowNs)).as("a loop was busy").isEqualTo(CodecCosts.STEPS - 1);
    policy.answered(1, nowNs);
    assertThat(policy.step(nowNs)).isEqualTo(CodecCosts.NONE);
    assertThat(offer(1e4)).as("a second later").isEqualTo(CodecCosts.STEPS - 1);
  }

  @Test
  void packetsAgainstTheLoadOfASlowLinkAreCompressed() {
    for (int i = 0; i < 200; i++) {
      nowNs += 1_000_000;
      policy.answered(BurstDetector.BYTES_PER_MS - 1, nowNs);
    }
    assertThat(policy.step(nowNs)).isEqualTo(CodecCosts.STEPS - 1);
  }

  @Test
  void packetsAgainstABurstThatWaitForTheLinkAreCompressed() {
    policy.limitedByLink(nowNs);
    policy.answered(10 * BurstDetector.BYTES_PER_MS, nowNs);
    assertThat(policy.step(nowNs)).isGreaterThan(CodecCosts.NONE);
  }

  @Test
  void aBurstThatWaitsForTheLinkIsCompressed() {
    policy.limitedByLink(nowNs);
    policy.arrived(BurstDetector.BYTES_PER_MS, true, nowNs);
    assertThat(policy.step(nowNs)).isGreaterThan(CodecCosts.NONE);
  }

  @Test
  void measuredCostsReplaceTheGuessesAndAnOutlierDoesNot() {
    int step = offer(3e6);
    for (int i = 0; i < 100; i++) {
      loop.costs().observe(step, 2_000, 2_000 * 2);
    }
    assertThat(loop.costs().nsPerByte(step)).isCloseTo(2, org.assertj.core.data.Offset.offset(1.0));
    loop.costs().observe(step, 2_000, 50_000_000);
    assertThat(loop.costs().nsPerByte(step)).isLessThan(5);
  }

  @Test
  void withoutZstdThereIsLz4OrNothing() {
    CodecPolicy old = new CodecPolicy(loop.costs(), false, BLOCK_NS_MAX);
    assertThat(old.step(nowNs)).isEqualTo(CodecCosts.LZ4);
  }

  /// Sends packets, each of which follows the answer to the one before. @return the step at the end
  private int exchange(int count, long answerNs, long thinkNs) {
    for (int i = 0; i < count; i++) {
      policy.arrived(100, true, nowNs);
      policy.offered(100, nowNs);
      nowNs += answerNs;
      policy.answered(100, nowNs);
      nowNs += thinkNs;
    }
    policy.arrived(100, true, nowNs);
    nowNs += 5_000_000;
    return policy.step(nowNs);
  }

  @Test
  void aCloseExchangeIsNotDelayedByTheCodec() {
    assertThat(exchange(PingPongDetector.TURNS, 25_000, 15_000)).isEqualTo(CodecCosts.NONE);
  }

  @Test
  void anExchangeOverADistanceIsCompressed() {
    assertThat(exchange(1_000, PingPongDetector.CLOSE_NS, 15_000)).isGreaterThan(CodecCosts.NONE);
  }

  @Test
  void anExchangeWithPausesIsCompressed() {
    assertThat(exchange(1_000, 25_000, PingPongDetector.CLOSE_NS)).isGreaterThan(CodecCosts.NONE);
  }

  @Test
  void aPacketOutOfTurnEndsTheExchange() {
    exchange(100, 25_000, 15_000);
    policy.arrived(100, true, nowNs);
    nowNs += 5_000_000;
    assertThat(policy.step(nowNs)).isGreaterThan(CodecCosts.NONE);
  }

  @Test
  void aCloseExchangeOnAFullLinkIsCompressed() {
    exchange(100, 25_000, 15_000);
    policy.limitedByLink(nowNs);
    assertThat(exchange(100, 25_000, 15_000)).isGreaterThan(CodecCosts.NONE);
  }
}
