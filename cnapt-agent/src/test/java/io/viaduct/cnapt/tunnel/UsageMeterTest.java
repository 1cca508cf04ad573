package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.links.Remotes;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.LoopbackRig;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.DeviceFlow;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A device's counts of its flows, over two real sessions.
class UsageMeterTest {
  private static final int PACKET = 28 + 100; // IPv4 and UDP headers, payload

  private LoopbackRig rig;
  private UsageMeter meter;

  @BeforeEach
  void open() {
    rig = new LoopbackRig();
    meter =
        new UsageMeter(
            rig.agent, Remotes.of(new InetSocketAddress("198.51.100.1", 443)), rig.nowNs);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static PacketForge.Endpoints flow(int number) {
    return PacketForge.Endpoints.ipv4(40_000 + number, 9, 443);
  }

  private void up(int flow, int packets) {
    for (int i = 0; i < packets; i++) {
      rig.offer(rig.agent, PacketForge.udp(flow(flow), new byte[100]));
      rig.send(rig.agent);
      rig.deliver();
      rig.advance(1_000_000);
    }
  }

  private void down(int flow, int packets) {
    for (int i = 0; i < packets; i++) {
      rig.offer(rig.snapt, PacketForge.udp(flow(flow).reversed(), new byte[100]));
      rig.send(rig.snapt);
      rig.deliver();
      rig.advance(1_000_000);
    }
  }

  // Packets that wait for their compound leave.
  private void settle() {
    for (int i = 0; i < 20; i++) {
      rig.advance(50_000_000);
      rig.send(rig.agent);
      rig.send(rig.snapt);
      rig.deliver();
    }
  }

  private static long bytes(List<DeviceFlow> flows) {
    return flows.stream().mapToLong(each -> each.getUpBytes() + each.getDownBytes()).sum();
  }

  @Test
  void anIntervalHasWhatEachFlowHasCarriedSinceTheLastOne() {
    up(0, 3);
    up(1, 1);
    down(0, 2);
    settle();
    List<DeviceFlow> first = meter.take(rig.nowNs);
    assertThat(first)
        .extracting(DeviceFlow::getUpBytes, DeviceFlow::getDownBytes)
        .containsExactlyInAnyOrder(
            org.assertj.core.api.Assertions.tuple(3L * PACKET, 2L * PACKET),
            org.assertj.core.api.Assertions.tuple(1L * PACKET, 0L));
    assertThat(first).allSatisfy(each -> assertThat(each.getDurationMs()).isPositive());
    assertThat(meter.take(rig.nowNs)).isEmpty();
    up(1, 2);
    settle();
    assertThat(meter.take(rig.nowNs))
        .singleElement()
        .satisfies(each -> assertThat(each.getUpBytes()).isEqualTo(2L * PACKET));
  }

  @Test
  void datagramsOfNeighboursToTheSnaptAreNotCounted() {
    for (int port : new int[] {443, 444}) {
      var flow = PacketForge.Endpoints.ipv4(40_000, 1, port);
      rig.offer(rig.agent, PacketForge.udp(flow, new byte[100]));
      rig.send(rig.agent);
      rig.deliver();
    }
    settle();
    assertThat(bytes(meter.take(rig.nowNs))).as("the other port").isEqualTo(PACKET);
  }

  @Test
  void aFlowThatEndsInTheIntervalIsInItsReport() {
    up(0, 4);
    settle();
    meter.take(rig.nowNs);
    up(0, 2);
    settle();
    List<FlowState> open = new ArrayList<>();
    rig.agent.flows().forEach(open::add);
    rig.agent.flows().endAll(FlowEnd.values()[0]);
    open.forEach(flow -> meter.ended(flow, rig.nowNs));
    assertThat(bytes(meter.take(rig.nowNs))).isEqualTo(2L * PACKET);
  }

  @Test
  void manyFlowsAreSummedUpAndNoByteIsMissing() {
    for (int i = 0; i < 200; i++) {
      up(i, i < 10 ? 3 : 1);
    }
    settle();
    List<DeviceFlow> lines = meter.take(rig.nowNs);
    assertThat(lines).hasSizeLessThanOrEqualTo(UsageMeter.LINES_MAX);
    assertThat(bytes(lines)).isEqualTo(220L * PACKET);
    assertThat(lines.getLast().getProtocol()).as("a line of several flows").isZero();
  }

  @Test
  void theSumIsThatOfTheReceipts() {
    up(0, 5);
    down(0, 7);
    long sum = 0;
    for (ServiceClass each : ServiceClass.values()) {
      sum +=
          rig.agent.totals().sent(each).preBytes() + rig.agent.totals().received(each).preBytes();
    }
    assertThat(bytes(meter.take(rig.nowNs))).isEqualTo(sum).isPositive();
  }
}
