package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.NullAead;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.Verdict;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Many probes at once: how they are answered, and what an answer costs.
class ProbeAnswersTest {
  private static final int RUN = 64;
  // Without the leak detector, whose records are not the session's garbage.
  private static final ByteBufAllocator UNTRACKED = new UnpooledByteBufAllocator(true, true);
  private static final InnerPacketSink NOWHERE = (flow, packet) -> {};
  private final LoopbackRig rig = new LoopbackRig();

  @BeforeEach
  void open() {
    probes(1);
    arrive(2); // a padded message follows the first probe
    rig.drain(rig.snapt);
    while (!rig.down.isEmpty()) {
      assertThat(rig.receive(rig.agent, rig.down.remove())).isEqualTo(Verdict.ACCEPTED);
    }
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void probes(int count) {
    for (int i = 0; i < count; i++) {
      rig.agent.probe(0, Carrier.UDP, rig.nowNs);
    }
    rig.drain(rig.agent);
  }

  private void arrive(int count) {
    for (int i = 0; i < count; i++) {
      assertThat(rig.receive(rig.snapt, rig.up.remove())).isEqualTo(Verdict.ACCEPTED);
    }
  }

  @Test
  void probesThatArriveTogetherAreAnsweredInOneRun() {
    probes(RUN);
    rig.bursts.clear();
    arrive(RUN);
    assertThat(rig.snapt.isFullOfAnswers()).isTrue();
    assertThat(rig.drain(rig.snapt)).isFalse();
    assertThat(rig.bursts).hasSize(1);
    assertThat(rig.down).hasSize(RUN);
    while (!rig.down.isEmpty()) {
      assertThat(rig.receive(rig.agent, rig.down.remove())).isEqualTo(Verdict.ACCEPTED);
    }
    assertThat(rig.snapt.verdicts().of(Verdict.PATH_MESSAGE_DROPPED)).isZero();
  }

  @Test
  void anAnswerTooManyDropsTheOldestAndIsCounted() {
    probes(RUN);
    probes(6);
    arrive(RUN + 6);
    assertThat(rig.snapt.verdicts().of(Verdict.PATH_MESSAGE_DROPPED)).isEqualTo(6);
    rig.drain(rig.snapt);
    assertThat(rig.down).hasSize(RUN);
    while (!rig.down.isEmpty()) {
      assertThat(rig.receive(rig.agent, rig.down.remove())).isEqualTo(Verdict.ACCEPTED);
    }
  }

  @Test
  void answersToSeveralAddressesLeaveInARunForEach() {
    probes(6);
    arrive(2);
    rig.upFrom = new InetSocketAddress("203.0.113.5", 999);
    arrive(3); // they pay a challenge and two answers
    rig.upFrom = LoopbackRig.AGENT;
    arrive(1);
    rig.bursts.clear();
    rig.drain(rig.snapt);
    int answer = rig.down.getFirst().length;
    assertThat(rig.down).hasSize(6);
    assertThat(rig.bursts)
        .as("two answers, the challenge, two answers to there, one answer")
        .containsExactly(2 * answer, 33, 2 * answer, answer);
  }

  @Test
  void answersWaitWhileTheSocketTakesNothing() {
    probes(RUN);
    arrive(RUN);
    rig.writable = false;
    assertThat(rig.drain(rig.snapt)).isTrue();
    assertThat(rig.down).isEmpty();
    rig.writable = true;
    assertThat(rig.drain(rig.snapt)).isFalse();
    assertThat(rig.down).hasSize(RUN);
  }

  @Test
  void anAnswerAllocatesNothing() throws InterruptedException {
    double[] bytes = {Double.NaN};
    Thread thread =
        new io.netty.util.concurrent.FastThreadLocalThread(() -> bytes[0] = bytesPerAnswer());
    thread.start();
    thread.join();
    assertThat(bytes[0]).isLessThan(1);
  }

  private static double bytesPerAnswer() {
    try (LoopbackRig warm =
        new LoopbackRig(
            TunnelSettings.defaults(),
            AeadAlgorithm.AES_256_GCM,
            _ -> new NullAead(),
            PathListener.SILENT)) {
      var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
      ByteBuf run = UNTRACKED.directBuffer(1 << 16);
      var collecting = new Sink(run);
      var answers = new Sink(UNTRACKED.directBuffer(1 << 16));
      warm.agent.probe(0, Carrier.UDP, warm.nowNs); // a padded message follows the first probe
      warm.agent.drain(collecting, warm.nowNs);
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 200 && least >= RUN * 100; round++) {
        long allocated = 0;
        for (int i = 0; i < 100; i++) {
          run.clear();
          answers.to.clear();
          for (int probe = 0; probe < RUN; probe++) {
            warm.agent.probe(0, Carrier.UDP, warm.nowNs);
          }
          warm.agent.drain(collecting, warm.nowNs);
          long before = threads.getCurrentThreadAllocatedBytes();
          for (int at = 0; at < run.writerIndex(); at += collecting.size) {
            warm.snapt.open(run, at, collecting.size, LoopbackRig.AGENT, NOWHERE, warm.nowNs);
          }
          warm.snapt.openBatchEnd(warm.nowNs);
          warm.snapt.drain(answers, warm.nowNs);
          allocated += threads.getCurrentThreadAllocatedBytes() - before;
          assertThat(answers.to.writerIndex()).isEqualTo(RUN * answers.size);
          warm.nowNs += 20_000;
        }
        least = Math.min(least, allocated);
      }
      run.release();
      answers.to.release();
      return (double) least / (100 * RUN);
    }
  }

  private static final class Sink implements DatagramSink {
    final ByteBuf to;
    int size;

    Sink(ByteBuf to) {
      this.to = to;
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void send(
        ByteBuf burst,
        int segmentSize,
        @org.jspecify.annotations.Nullable InetSocketAddress address,
        long nowNs) {
      size = segmentSize;
      to.writeBytes(burst);
      burst.release();
    }
  }
}
