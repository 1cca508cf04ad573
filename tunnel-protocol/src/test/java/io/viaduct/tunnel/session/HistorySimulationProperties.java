package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.viaduct.tunnel.history.Digestion;
import io.viaduct.tunnel.history.HistoryEvent;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.ProviderAead;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/// Text of several hosts over a network that loses, duplicates and reorders, while either end
/// forgets its histories, restarts, and makes dictionaries late: ratio may suffer, a byte never.
/// The oracle is a map of what was sent. `-Dviaduct.simulation.packets=10000000` for the long run.
class HistorySimulationProperties {
  private static final int PACKETS = Integer.getInteger("viaduct.simulation.packets", 100_000);
  private static final int TRIES = 10;

  /// What is held back longer may find its epoch gone; the receiver waits for half a second.
  private static final long HELD_NS = 200_000_000;

  private static final byte[] TEXT = SavingsCheck.English.text(1 << 20, 5);

  /// Dictionaries become ready some time later, or at once.
  private static final class Late implements Digestion {
    final Deque<Runnable> waiting = new ArrayDeque<>();

    @Override
    public void run(Runnable work, Runnable done) {
      waiting.add(() -> {
        work.run();
        done.run();
      });
    }

    void some(SplittableRandom random) {
      while (!waiting.isEmpty() && random.nextInt(3) != 0) {
        waiting.remove().run();
      }
    }
  }

  /// Both ends, from a start to a restart.
  private static final class Life implements AutoCloseable {
    final SplittableRandom random;
    final Late late = new Late();
    final LoopbackRig rig;
    final Map<Integer, byte[]> sent = new HashMap<>();
    final double loss;
    final double duplication;
    final double reordering;
    final boolean forgets;
    final List<byte[]> heldUp = new ArrayList<>();
    final List<byte[]> heldDown = new ArrayList<>();
    final long[] releasedNs = new long[2];
    int counter;
    long before;
    long after;
    long delivered;

    Life(SplittableRandom random, double loss, double dup, double reorder, boolean forgets) {
      this.random = random;
      this.loss = loss;
      this.duplication = dup;
      this.reordering = reorder;
      this.forgets = forgets;
      TunnelSettings settings =
          TestSettings.of(
              16_384 << random.nextInt(4), CompressionContext.values()[random.nextInt(2)], 70);
      rig =
          new LoopbackRig(
              settings, AeadAlgorithm.AES_256_GCM, ProviderAead::new, PathListener.SILENT, late);
    }

    void offer() {
      int flow = random.nextInt(8);
      rig.serviceClass = ServiceClass.of(flow & 3);
      byte[] payload =
          new byte[random.nextInt(4) == 0 ? random.nextInt(8, 90) : random.nextInt(90, 1300)];
      int at = random.nextInt(TEXT.length - payload.length);
      System.arraycopy(TEXT, at, payload, 0, payload.length);
      if (flow == 7) {
        random.nextBytes(payload);
      }
      BigEndian.putInt(payload, 0, ++counter);
      boolean down = random.nextInt(3) == 0;
      Endpoints to = Endpoints.ipv4(1000 + flow, 1 + flow % 3, 9);
      TunnelSession from = down ? rig.snapt : rig.agent;
      if (rig.offer(from, PacketForge.udp(down ? to.reversed() : to, payload)) == Verdict.QUEUED) {
        sent.put(counter, payload);
        before += payload.length;
      }
    }

    void carry(Deque<byte[]> wire, TunnelSession to, List<byte[]> held) {
      int way = to == rig.snapt ? 0 : 1;
      List<byte[]> now = new ArrayList<>();
      for (byte[] datagram : wire) {
        after += datagram.length;
        if (random.nextDouble() < loss) {
          continue;
        }
        if (random.nextDouble() < duplication) {
          (random.nextBoolean() ? held : now).add(datagram);
        }
        if (random.nextDouble() < reordering) {
          held.add(datagram);
        } else {
          now.add(datagram);
        }
      }
      wire.clear();
      if (held.size() > 20 || rig.nowNs - releasedNs[way] > HELD_NS) {
        releasedNs[way] = rig.nowNs;
        Collections.shuffle(held, new java.util.Random(random.nextLong()));
        now.addAll(held);
        held.clear();
      }
      for (byte[] datagram : now) {
        Verdict verdict = rig.receive(to, datagram);
        boolean expected =
            switch (verdict) {
              case ACCEPTED, REPLAYED, TOO_OLD -> true;
              case UNKNOWN_EPOCH -> forgets;
              default -> false;
            };
        if (!expected) {
          fail(
              "an authentic datagram got %s, loss %.2f reordering %.2f at %d ms",
              verdict, loss, reordering, rig.nowNs / 1_000_000);
        }
      }
      to.openBatchEnd(rig.nowNs);
    }

    void check(List<LoopbackRig.Restored> restored) {
      for (LoopbackRig.Restored packet : restored) {
        byte[] bytes = packet.packet();
        byte[] payload = Arrays.copyOfRange(bytes, PacketForge.payloadAt(bytes), bytes.length);
        byte[] oracle = sent.remove(BigEndian.getInt(payload, 0));
        assertThat(payload).isEqualTo(oracle);
        delivered++;
      }
      restored.clear();
    }

    void run(int packets) {
      int until = counter + packets;
      while (counter < until) {
        for (int batch = random.nextInt(1, 12); batch > 0; batch--) {
          offer();
        }
        rig.agent.flushBatch(rig.nowNs);
        rig.snapt.flushBatch(rig.nowNs);
        rig.nowNs += random.nextInt(4_000_000);
        rig.agent.onTick(rig.nowNs);
        rig.snapt.onTick(rig.nowNs);
        rig.drain(rig.agent);
        rig.drain(rig.snapt);
        carry(rig.up, rig.snapt, heldUp);
        carry(rig.down, rig.agent, heldDown);
        late.some(random);
        if (forgets && random.nextInt(500) == 0) {
          (random.nextBoolean() ? rig.memory : rig.snaptMemory).history().expire(Long.MAX_VALUE);
        }
        check(rig.atSnapt);
        check(rig.atAgent);
      }
    }

    String allEvents() {
      StringBuilder all = new StringBuilder();
      for (HistoryEvent event : HistoryEvent.values()) {
        all.append(event).append(' ').append(events(event)).append(' ');
      }
      return all.append("window ").append(rig.agent.terms().limits().historyBytes()).toString();
    }

    long events(HistoryEvent event) {
      return rig.memory.history().events()[event.ordinal()]
          + rig.snaptMemory.history().events()[event.ordinal()];
    }

    @Override
    public void close() {
      rig.close();
      late.waiting.forEach(Runnable::run);
      assertThat(rig.memory.history().heldBytes()).isZero();
      assertThat(rig.snaptMemory.history().heldBytes()).isZero();
    }
  }

  @Property(tries = TRIES, shrinking = ShrinkingMode.OFF)
  void whatTheNetworkAndTheEndsDoCostsRatioAndNeverAByte(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int lives = 4;
    long adopted = 0;
    StringBuilder said = new StringBuilder();
    for (int life = 0; life < lives; life++) {
      double loss = random.nextDouble() * 0.3;
      double duplication = random.nextDouble() * 0.3;
      double reordering = random.nextDouble() * 0.3;
      try (Life run = new Life(random, loss, duplication, reordering, life % 2 == 1)) {
        run.run(PACKETS / TRIES / lives);
        assertThat(run.delivered).as("seed %d", seed).isGreaterThan(run.counter / 3);
        adopted += run.events(HistoryEvent.EPOCH_ADOPTED);
        said.append(run.allEvents()).append('\n');
      }
    }
    assertThat(adopted).as("seed %d: %s", seed, said).isPositive();
  }

  @Property(tries = 2, shrinking = ShrinkingMode.OFF)
  void withoutLossEveryPacketArrivesAndHistoryPays(@ForAll long seed) {
    try (Life run = new Life(new SplittableRandom(seed), 0, 0.2, 0, false)) {
      run.run(6_000);
      run.rig.nowNs += 100_000_000;
      run.run(1);
      assertThat(run.after).as("seed %d", seed).isLessThan(run.before * 3 / 4);
      assertThat(run.events(HistoryEvent.EPOCH_LOST_AT_PEER)).isZero();
    }
  }
}
