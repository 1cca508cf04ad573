package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/// Random traffic of both directions over a network that loses, duplicates and reorders: whatever
/// comes out is byte for byte what went in, at most once. A failure prints its seed.
class SimulatedNetworkProperties {
  private static final int FLOWS = 24;
  private static final byte[] TEXT =
      "GET /index.html HTTP/1.1\r\nHost: www.example.org\r\nAccept: text/html, application/json\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  /// One run with its own seed.
  private static final class Run implements AutoCloseable {
    final SplittableRandom random;
    final LoopbackRig rig;
    final Map<ByteBuffer, Integer> sent = new HashMap<>();
    final int[] sequence = new int[FLOWS];
    final double loss;
    final double duplication;
    final double reordering;
    final List<byte[]> lateUp = new ArrayList<>();
    final List<byte[]> lateDown = new ArrayList<>();
    long counter;
    long segments;
    long delivered;

    Run(long seed, double loss, double duplication, double reordering) {
      random = new SplittableRandom(seed);
      TunnelSettings settings =
          TunnelSettings.defaults()
              .withPathMtu(random.nextInt(10) == 0 ? 9000 : random.nextInt(1400, 1501))
              .withContext(TunnelSettings.CompressionContext.values()[random.nextInt(3)]);
      rig = new LoopbackRig(settings);
      this.loss = loss;
      this.duplication = duplication;
      this.reordering = reordering;
    }

    byte[] payload(int length, boolean text) {
      byte[] bytes = new byte[Math.max(8, length)];
      if (text) {
        int start = random.nextInt(TEXT.length);
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = TEXT[(start + i) % TEXT.length];
        }
      } else {
        random.nextBytes(bytes);
      }
      BigEndian.putLong(bytes, 0, ++counter);
      return bytes;
    }

    void offerOne() {
      int flow = random.nextInt(FLOWS);
      boolean down = random.nextInt(3) == 0;
      boolean text = flow % 3 != 0;
      rig.serviceClass = ServiceClass.of(flow);
      Endpoints to =
          flow % 4 == 3
              ? Endpoints.ipv6(1000 + flow, flow % 5, 443)
              : Endpoints.ipv4(1000 + flow, flow % 5, 443);
      Endpoints way = down ? to.reversed() : to;
      int mss = rig.agent.settings().innerMtu() - 72;
      byte[] packet;
      int gso = 0;
      boolean partial = random.nextBoolean();
      switch (flow % 5) {
        case 0, 1 -> {
          int length = random.nextInt(4) == 0 ? random.nextInt(20_000) : random.nextInt(mss);
          byte[] payload = payload(length, text);
          packet = PacketForge.tcp(way, sequence[flow], flags(), payload);
          sequence[flow] += payload.length;
          gso = payload.length > mss ? mss : 0;
          partial |= gso > 0;
        }
        case 2 -> packet = PacketForge.echo(way, 1000 + flow, payload(random.nextInt(200), text));
        default -> packet = PacketForge.udp(way, payload(random.nextInt(mss), text));
      }
      if (random.nextInt(20) == 0) {
        changeHops(packet);
      }
      if (flow % 5 == 2) {
        partial = false;
      } else if (partial) {
        PacketForge.checksum(packet, 1);
      } else if (random.nextInt(50) == 0) {
        packet[packet.length - 1] ^= 1; // damaged: must stay damaged
      }
      TunnelSession session = down ? rig.snapt : rig.agent;
      Verdict verdict = rig.offer(session, packet, gso, partial);
      if (verdict == Verdict.QUEUED) {
        for (byte[] segment : Segments.of(packet, gso, partial)) {
          sent.merge(ByteBuffer.wrap(segment), 1, Integer::sum);
          segments++;
        }
      } else {
        assertThat(verdict.name()).matches("QUEUE_FULL.*|EARLY.*");
      }
    }

    int flags() {
      return PacketForge.ACK | (random.nextInt(3) == 0 ? PacketForge.PSH : 0);
    }

    void changeHops(byte[] packet) {
      packet[packet[0] >>> 4 == 4 ? 8 : 7] = (byte) (60 + random.nextInt(4));
      PacketForge.ipChecksum(packet);
    }

    void carry(Deque<byte[]> wire, TunnelSession to) {
      List<byte[]> late = to == rig.snapt ? lateUp : lateDown;
      List<byte[]> now = new ArrayList<>();
      for (byte[] datagram : wire) {
        if (random.nextDouble() < loss) {
          continue;
        }
        if (random.nextDouble() < duplication) {
          (random.nextBoolean() ? late : now).add(datagram);
        }
        if (random.nextDouble() < reordering) {
          now.add(random.nextInt(now.size() + 1), datagram);
        } else {
          now.add(datagram);
        }
      }
      wire.clear();
      if (late.size() > 50) {
        now.addAll(late);
        late.clear();
      }
      for (byte[] datagram : now) {
        Verdict verdict = rig.receive(to, datagram);
        if (verdict != Verdict.ACCEPTED
            && verdict != Verdict.FRAGMENT_KEPT
            && verdict != Verdict.REPLAYED
            && verdict != Verdict.TOO_OLD) {
          fail("an authentic datagram got " + verdict);
        }
      }
      to.openBatchEnd(rig.nowNs);
    }

    void check(List<LoopbackRig.Restored> restored) {
      for (LoopbackRig.Restored packet : restored) {
        for (byte[] segment : Segments.of(packet.packet(), packet.gsoSize(), packet.partial())) {
          ByteBuffer key = ByteBuffer.wrap(segment);
          Integer left = sent.get(key);
          if (left == null) {
            fail("a packet that nobody sent, or twice: " + HexFormat.of().formatHex(segment));
          } else if (left == 1) {
            sent.remove(key);
          } else {
            sent.put(key, left - 1);
          }
          delivered++;
        }
      }
      restored.clear();
    }

    void run(int packets) {
      for (int i = 0; i < packets; ) {
        for (int batch = random.nextInt(1, 12); batch > 0; batch--, i++) {
          offerOne();
        }
        rig.send(rig.agent);
        rig.send(rig.snapt);
        step();
      }
      for (int i = 0; i < 30; i++) {
        rig.nowNs += 5_000_000;
        step();
      }
    }

    @Override
    public void close() {
      rig.close();
    }

    void step() {
      rig.nowNs += random.nextInt(2_000_000);
      rig.agent.onTick(rig.nowNs);
      rig.snapt.onTick(rig.nowNs);
      rig.drain(rig.agent);
      rig.drain(rig.snapt);
      carry(rig.up, rig.snapt);
      carry(rig.down, rig.agent);
      check(rig.atSnapt);
      check(rig.atAgent);
    }
  }

  @Property(tries = 24, shrinking = ShrinkingMode.OFF)
  void nothingComesOutThatDidNotGoIn(@ForAll long seed) {
    SplittableRandom network = new SplittableRandom(seed ^ 0x5DEECE66DL);
    double loss = network.nextDouble() * 0.3;
    double duplication = network.nextDouble() * 0.3;
    double reordering = network.nextDouble() * 0.3;
    try (Run run = new Run(seed, loss, duplication, reordering)) {
      run.run(4_000);
      assertThat(run.delivered).as("seed %d", seed).isGreaterThan(run.segments / 3);
    }
  }

  @Property(tries = 6, shrinking = ShrinkingMode.OFF)
  void aNetworkThatLosesNothingLosesNothing(@ForAll long seed) {
    try (Run run = new Run(seed, 0, 0.2, 0)) {
      run.run(4_000);
      assertThat(run.sent).as("seed %d", seed).isEmpty();
      assertThat(run.delivered).as("seed %d", seed).isEqualTo(run.segments);
    }
  }
}
