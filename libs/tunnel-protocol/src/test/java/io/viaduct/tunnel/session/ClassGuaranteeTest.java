package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.pacing.BottleneckLink;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Sends all classes over a link of 10 Mbit/s, of which HT_HD alone offers twice that rate, and
/// checks arrivals and delays.
class ClassGuaranteeTest {
  private static final double LINE = 10e6;
  private static final long MS = 1_000_000;
  private static final long STEP_NS = 200_000;

  private record Load(ServiceClass of, double bitPerSecond, int payloadBytes) {
    double packetsPerSecond() {
      return bitPerSecond / 8 / (payloadBytes + 28);
    }
  }

  private static final List<Load> LOADS =
      List.of(
          new Load(ServiceClass.LT_LD, 64e3, 72),
          new Load(ServiceClass.HT_LD, 1e6, 548),
          new Load(ServiceClass.LT_HD, 0.5e6, 1332),
          new Load(ServiceClass.HT_HD, 2 * LINE, 1332));

  private static final List<Load> TWO_BULKS =
      List.of(
          LOADS.get(0), new Load(ServiceClass.HT_LD, 2 * LINE, 548), LOADS.get(2), LOADS.get(3));

  private final LoopbackRig rig = new LoopbackRig();
  private final BottleneckLink<byte[]> up = new BottleneckLink<>(LINE, 10 * MS, 100 * MS);
  private final BottleneckLink<byte[]> down = new BottleneckLink<>(LINE, 10 * MS, 100 * MS);
  private final Map<ServiceClass, List<Double>> delaysMs = new EnumMap<>(ServiceClass.class);
  private final long[] offered = new long[ServiceClass.COUNT];
  private final SplittableRandom random = new SplittableRandom(1);

  private void run(List<Load> loads, double seconds) {
    long endNs = rig.nowNs + (long) (seconds * 1e9);
    double[] due = new double[ServiceClass.COUNT];
    while (rig.nowNs < endNs) {
      rig.nowNs += STEP_NS;
      for (Load load : loads) {
        int c = load.of.ordinal();
        due[c] += load.packetsPerSecond() * STEP_NS / 1e9;
        for (; due[c] >= 1; due[c]--) {
          offer(load);
        }
      }
      rig.agent.flushBatch(rig.nowNs);
      rig.agent.onTick(rig.nowNs);
      rig.snapt.onTick(rig.nowNs);
      rig.drain(rig.agent);
      rig.up.forEach(datagram -> up.send(datagram, datagram.length + 28, rig.nowNs));
      rig.up.clear();
      up.deliver(rig.nowNs, datagram -> rig.receive(rig.snapt, datagram));
      rig.snapt.openBatchEnd(rig.nowNs);
      rig.drain(rig.snapt);
      rig.down.forEach(datagram -> down.send(datagram, datagram.length + 28, rig.nowNs));
      rig.down.clear();
      down.deliver(rig.nowNs, datagram -> rig.receive(rig.agent, datagram));
      rig.agent.openBatchEnd(rig.nowNs);
      take();
    }
  }

  private void offer(Load load) {
    byte[] payload = new byte[load.payloadBytes];
    random.nextBytes(payload);
    BigEndian.putLong(payload, 0, rig.nowNs);
    rig.serviceClass = load.of;
    rig.offer(
        rig.agent, PacketForge.udp(Endpoints.ipv4(1000 + load.of.ordinal(), 1, 443), payload));
    offered[load.of.ordinal()]++;
  }

  private void take() {
    for (LoopbackRig.Restored restored : rig.atSnapt) {
      byte[] packet = restored.packet();
      double ms = (rig.nowNs - BigEndian.getLong(packet, 28)) / 1e6;
      for (Load load : LOADS) {
        if (packet.length == load.payloadBytes + 28 && restored.flow() != null) {
          delaysMs.computeIfAbsent(restored.flow().serviceClass(), _ -> new ArrayList<>()).add(ms);
          break;
        }
      }
    }
    rig.atSnapt.clear();
  }

  private double delayMs(ServiceClass of, double percentile) {
    List<Double> sorted = delaysMs.get(of);
    Collections.sort(sorted);
    return sorted.get(
        (int) Math.min(sorted.size() - 1L, Math.round(percentile / 100 * sorted.size())));
  }

  @Test
  void lowDelayClassesKeepTheirDelayAndBulkFillsTheRest() {
    run(LOADS, 1);
    delaysMs.clear();
    java.util.Arrays.fill(offered, 0);
    run(LOADS, 20);
    var text = new StringBuilder();
    double carried = 0;
    for (Load load : LOADS) {
      int c = load.of.ordinal();
      carried += delaysMs.get(load.of).size() * (load.payloadBytes + 28) * 8 / 20.0;
      text.append(
          "%s arrived %.3f, p50 %.1f, p99 %.1f ms%n"
              .formatted(
                  load.of,
                  (double) delaysMs.get(load.of).size() / offered[c],
                  delayMs(load.of, 50),
                  delayMs(load.of, 99)));
    }
    System.out.print(text);
    System.out.printf("carried %.2f of the line%n", carried / LINE);
    for (ServiceClass low : List.of(ServiceClass.LT_LD, ServiceClass.HT_LD)) {
      int c = low.ordinal();
      assertThat(delaysMs.get(low).size())
          .as(text.toString())
          .isGreaterThan((int) (0.99 * offered[c]));
      assertThat(delayMs(low, 50)).as(text.toString()).isLessThan(10 + 25);
      assertThat(delayMs(low, 99)).as(text.toString()).isLessThan(10 + 45);
    }
    assertThat(delaysMs.get(ServiceClass.LT_HD).size())
        .as(text.toString())
        .isGreaterThan((int) (0.98 * offered[ServiceClass.LT_HD.ordinal()]));
    assertThat(carried).as(text.toString()).isGreaterThan(0.93 * LINE);
    assertThat(delayMs(ServiceClass.HT_HD, 95)).as(text.toString()).isLessThan(250);
    assertThat(
            LoopbackRig.count(rig.agent, Verdict.EARLY_HT_HD)
                + LoopbackRig.count(rig.agent, Verdict.QUEUE_FULL_HT_HD))
        .isPositive();
    assertThat(LoopbackRig.count(rig.agent, Verdict.EARLY_LT_LD)).isZero();
    rig.close();
  }

  /// HT_HD has only its floor of 5 %. Its queue may hold one second of that rate, and the packets
  /// queued while the whole link was free.
  @Test
  void aClassAtItsFloorQueuesAtMostASecondOfThatRate() {
    run(TWO_BULKS, 2);
    delaysMs.clear();
    run(TWO_BULKS, 20);
    int[] arrived = new int[ServiceClass.COUNT];
    delaysMs.forEach((of, delays) -> arrived[of.ordinal()] = delays.size());
    double floor = arrived[ServiceClass.HT_HD.ordinal()] * 1360 * 8 / 20.0 / LINE;
    assertThat(floor).isBetween(0.04, 0.08);
    assertThat(delayMs(ServiceClass.HT_HD, 99)).isLessThan(1_500);
    assertThat(delayMs(ServiceClass.HT_LD, 99)).isLessThan(200);
    assertThat(delayMs(ServiceClass.LT_LD, 99)).isLessThan(10 + 45);
    rig.close();
  }
}
