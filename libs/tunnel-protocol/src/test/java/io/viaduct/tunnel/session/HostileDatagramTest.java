package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.key.NullAead;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.Verdict;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HostileDatagramTest {
  private static final Endpoints TO = Endpoints.ipv4(5000, 7, 53);

  private static byte[] sealed(LoopbackRig rig) {
    rig.offer(rig.agent, PacketForge.udp(TO, new byte[100]));
    rig.passDeadline(rig.agent);
    return rig.up.removeLast();
  }

  private static void assertUntouched(LoopbackRig rig, long acceptedBefore) {
    assertThat(rig.atSnapt).isEmpty();
    assertThat(rig.snapt.totals().receivedDatagrams()).isEqualTo(acceptedBefore);
    assertThat(rig.snapt.binding()).isNull();
    assertThat(rig.snapt.flows().size()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aFlippedBitAnywhereIsRefusedAndChangesNothing(AeadAlgorithm algorithm) {
    try (LoopbackRig rig =
        new LoopbackRig(
            TunnelSettings.defaults(), algorithm, Ciphers::fastest, PathListener.SILENT)) {
      byte[] good = sealed(rig);
      for (int bit = 0; bit < good.length * 8; bit++) {
        byte[] altered = good.clone();
        altered[bit / 8] ^= (byte) (1 << bit % 8);
        Verdict verdict = rig.receive(rig.snapt, altered);
        boolean inReceiverIndex = bit / 8 >= 1 && bit / 8 <= 3;
        assertThat(verdict)
            .as("bit %d", bit)
            .isIn(
                inReceiverIndex
                    ? new Object[] {Verdict.BAD_TAG}
                    : new Object[] {
                      Verdict.BAD_TAG,
                      Verdict.BAD_FRAGMENT,
                      Verdict.UNSUPPORTED,
                      Verdict.STALE_KEY,
                      Verdict.TOO_OLD
                    });
        assertUntouched(rig, 0);
      }
      assertThat(rig.receive(rig.snapt, good)).isEqualTo(Verdict.ACCEPTED);
    }
  }

  @Test
  void everyTruncationIsRefusedAndChangesNothing() {
    try (LoopbackRig rig = new LoopbackRig()) {
      byte[] good = sealed(rig);
      for (int length = 0; length < good.length; length++) {
        Verdict verdict = rig.receive(rig.snapt, Arrays.copyOf(good, length));
        assertThat(verdict).isEqualTo(length < 25 ? Verdict.TOO_SHORT : Verdict.BAD_TAG);
        assertUntouched(rig, 0);
      }
      assertThat(rig.receive(rig.snapt, Arrays.copyOf(good, good.length + 1)))
          .isEqualTo(Verdict.BAD_TAG);
      assertThat(rig.receive(rig.snapt, good)).isEqualTo(Verdict.ACCEPTED);
    }
  }

  @Test
  void aReplayIsRefusedFromWhereverItComes() {
    try (LoopbackRig rig = new LoopbackRig()) {
      byte[] good = sealed(rig);
      assertThat(rig.receive(rig.snapt, good)).isEqualTo(Verdict.ACCEPTED);
      rig.upFrom = new java.net.InetSocketAddress("203.0.113.66", 6666);
      assertThat(rig.receive(rig.snapt, good)).isEqualTo(Verdict.REPLAYED);
      assertThat(rig.snapt.binding()).isEqualTo(LoopbackRig.AGENT);
      assertThat(rig.atSnapt).hasSize(1);
      assertThat(LoopbackRig.count(rig.snapt, Verdict.REPLAYED)).isEqualTo(1);
      assertThat(LoopbackRig.count(rig.snapt, Verdict.ACCEPTED)).isEqualTo(1);
    }
  }

  @Test
  void aDatagramReflectedToItsSenderIsRefused() {
    try (LoopbackRig rig = new LoopbackRig()) {
      assertThat(rig.receive(rig.agent, sealed(rig))).isEqualTo(Verdict.BAD_TAG);
    }
  }

  /// Checks the code behind the tag: a peer that holds the keys and writes rubbish gets a verdict,
  /// never an exception.
  @Test
  void authenticRubbishGetsAVerdictAndNeverAnException() {
    long seed = 20_261_121;
    SplittableRandom random = new SplittableRandom(seed);
    try (LoopbackRig rig =
        new LoopbackRig(
            TunnelSettings.defaults(),
            AeadAlgorithm.AES_256_GCM,
            a -> new NullAead(),
            PathListener.SILENT)) {
      byte[][] valid = valid(rig);
      int[] verdicts = new int[Verdict.COUNT];
      for (int i = 0; i < 60_000; i++) {
        byte[] body;
        if (random.nextInt(4) == 0) {
          body = new byte[random.nextInt(1, 200)];
          random.nextBytes(body);
        } else {
          byte[] datagram = valid[random.nextInt(valid.length)];
          body = Arrays.copyOfRange(datagram, 8, datagram.length - 16);
          for (int flips = random.nextInt(4); flips >= 0; flips--) {
            body[random.nextInt(body.length)] = (byte) random.nextInt();
          }
          body =
              Arrays.copyOf(
                  body, random.nextInt(4) == 0 ? random.nextInt(1, body.length + 1) : body.length);
        }
        byte[] datagram = new byte[24 + body.length];
        DatagramHeader.write(
            Unpooled.wrappedBuffer(datagram),
            0,
            random.nextInt(8) == 0 ? 1 : 0,
            0,
            io.viaduct.tunnel.wire.ServiceClass.of(random.nextInt(4)),
            1,
            1_000_000 + i);
        System.arraycopy(body, 0, datagram, 8, body.length);
        TunnelSession session = random.nextBoolean() ? rig.snapt : rig.agent;
        Verdict verdict = rig.receive(session, datagram);
        verdicts[verdict.ordinal()]++;
        if (random.nextInt(32) == 0) {
          session.openBatchEnd(rig.nowNs);
          rig.nowNs += 1_000_000;
          rig.agent.onTick(rig.nowNs);
          rig.snapt.onTick(rig.nowNs);
          rig.drain(rig.agent);
          rig.drain(rig.snapt);
          rig.up.clear();
          rig.down.clear();
          rig.atSnapt.clear();
          rig.atAgent.clear();
        }
      }
      assertThat(verdicts[Verdict.ACCEPTED.ordinal()]).isPositive();
      assertThat(verdicts[Verdict.MALFORMED.ordinal()]).isPositive();
      assertThat(verdicts[Verdict.BAD_COMPRESSION.ordinal()]).isPositive();
    }
  }

  private static byte[][] valid(LoopbackRig rig) {
    byte[] text =
        "the same words again and the same words again and the same words".repeat(8).getBytes();
    for (int i = 0; i < 3; i++) {
      for (Endpoints to : new Endpoints[] {TO, Endpoints.ipv6(9, 9, 9), Endpoints.ipv4(1, 2, 3)}) {
        rig.offer(rig.agent, PacketForge.udp(to, text));
        rig.offer(rig.agent, PacketForge.tcp(to, 1 + i * text.length, 0x10, text));
        rig.offer(rig.agent, PacketForge.echo(to, 77, text));
      }
      rig.send(rig.agent);
      rig.probe();
      byte[][] datagrams = rig.up.toArray(byte[][]::new);
      rig.deliver();
      rig.advance(10_000_000);
      if (i == 2) {
        return datagrams;
      }
    }
    throw new IllegalStateException();
  }
}
