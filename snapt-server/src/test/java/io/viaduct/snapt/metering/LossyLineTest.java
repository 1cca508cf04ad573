package io.viaduct.snapt.metering;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.LoopbackRig;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests that a device behind a lossy line is charged for the bytes that arrive. Uses the SNAPT's
/// meter over two real sessions, with the test's time. The device's side of the comparison is
/// written here again, from cnapt-agent/README.md.
class LossyLineTest {
  private static final long MS = 1_000_000;
  private static final int PACKET_BYTES = 1_300;
  private static final PacketForge.Endpoints FIRST = PacketForge.Endpoints.ipv4(40_000, 9, 443);

  private final Random random = new Random(42);
  private final LoopbackRig rig = new LoopbackRig();
  private final SessionMeter meter =
      new SessionMeter(
          "snapt-1", 3, 45, SessionMeterTest.session(), rig.snapt.totals(), 1_000_000, rig.nowNs);
  private final long[] receivedIn = new long[1_000];
  private final long[] lostIn = new long[1_000];
  private PacketForge.Endpoints endpoints = FIRST;
  private int second;
  private long charged;

  private long received() {
    long sum = 0;
    for (ServiceClass each : ServiceClass.values()) {
      sum += rig.agent.totals().received(each).preBytes();
    }
    return sum;
  }

  private long sent() {
    long sum = 0;
    for (ServiceClass each : ServiceClass.values()) {
      sum += rig.snapt.totals().sent(each).preBytes();
    }
    return sum;
  }

  /// Simulates a second with 100 packets: 1 Mbit/s.
  private void second(int lossPercent) {
    long receivedBefore = received();
    long sentBefore = sent();
    for (int i = 1; i <= 100; i++) {
      byte[] payload = new byte[PACKET_BYTES - 28];
      random.nextBytes(payload);
      byte[] packet = PacketForge.udp(endpoints.reversed(), payload);
      rig.offer(rig.snapt, packet);
      rig.send(rig.snapt);
      rig.down.removeIf(_ -> random.nextInt(100) < lossPercent);
      rig.deliver();
      pass(10, i);
    }
    receivedIn[second] = received() - receivedBefore;
    lostIn[second] = sent() - sentBefore - receivedIn[second];
    second++;
  }

  private void silence(int seconds) {
    for (int i = 1; i <= 100 * seconds; i++) {
      pass(10, i);
    }
    second += seconds;
  }

  private void pass(int ms, int step) {
    rig.advance(ms * MS);
    if (step % 5 == 0) {
      rig.snapt.flows().forEach(this::meet);
      meter.onTick(rig.nowNs);
    }
  }

  private void meet(FlowState flow) {
    if (flow.attachment() == null) {
      meter.onOpened(flow, false);
    }
  }

  private void report() {
    charged +=
        meter
            .close(1_000_000 + second * 1_000L, rig.nowNs, MeasuredPath.UNKNOWN, false)
            .report()
            .getFlowsList()
            .stream()
            .mapToLong(flow -> flow.getDown().getPreBytes())
            .sum();
  }

  /// Returns the largest sum that the device signs: the received bytes, the possible loss of the
  /// last eight seconds, and the tolerance.
  private long signed() {
    long recentlyReceived = 0;
    long recentlyLost = 0;
    for (int i = Math.max(0, second - 8); i < second; i++) {
      recentlyReceived += receivedIn[i];
      recentlyLost += lostIn[i];
    }
    long lost = Math.min(recentlyLost, recentlyReceived / 55 * 45);
    return (received() + lost) * 105 / 100 + 131_072;
  }

  @ParameterizedTest
  @CsvSource({"0, 5", "5, 5", "15, 5", "30, 5", "40, 5", "5, 60", "30, 60", "40, 60"})
  void aDeviceOnALossyLineSignsEveryInterval(int lossPercent, int intervalSeconds) {
    rig.open(PacketForge.udp(FIRST, new byte[100]));
    for (int interval = 0; interval < 6; interval++) {
      for (int i = 0; i < intervalSeconds; i++) {
        second(lossPercent);
      }
      report();
      assertThat(charged)
          .as("seed 42, %d %% lost, interval %d", lossPercent, interval)
          .isBetween(received() * 95 / 100, signed());
    }
    assertThat(charged)
        .as("not what was lost earlier than some seconds ago")
        .isLessThanOrEqualTo(received() + 8 * 100L * PACKET_BYTES * lossPercent / 100 + 200_000);
  }

  @Test
  void onceTheFlowRestsTheChargeIsExactlyWhatArrived() {
    rig.open(PacketForge.udp(FIRST, new byte[100]));
    for (int i = 0; i < 10; i++) {
      second(30);
    }
    silence(9);
    report();
    assertThat(sent()).isGreaterThan(received() * 13 / 10);
    assertThat(charged).isEqualTo(received());
  }

  @Test
  void manyShortFlowsOnALossyLineAreSignedToo() {
    for (int interval = 0; interval < 3; interval++) {
      for (int flow = 0; flow < 60; flow++) {
        rig.open(PacketForge.udp(PacketForge.Endpoints.ipv4(40_000 + flow, 9, 443), new byte[100]));
        endpoints = PacketForge.Endpoints.ipv4(40_000 + flow, 9, 443);
        second(15);
      }
      report();
      assertThat(charged).as("interval %d", interval).isBetween(received() * 95 / 100, signed());
    }
  }
}
