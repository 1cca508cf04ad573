package io.viaduct.tunnel.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Flows that another session has had.
class RestoredFlowTest {
  private final VerdictCounters verdicts = new VerdictCounters();
  private final List<FlowState> heard = new ArrayList<>();

  private FlowTable table(boolean atDevice, int flowsMax) {
    return new FlowTable(
        atDevice,
        flowsMax,
        new FlowTimeouts(1L << 50, 1L << 50, 1L << 50),
        new FlowListener() {
          @Override
          public void opened(FlowState flow) {
            heard.add(flow);
          }
        },
        verdicts);
  }

  private static FlowKey key(boolean ipv6) {
    Endpoints of = ipv6 ? Endpoints.ipv6(5000, 7, 80) : Endpoints.ipv4(5000, 7, 80);
    ByteBuf packet = Unpooled.wrappedBuffer(PacketForge.udp(of, new byte[4]));
    FlowKey key = new FlowKey();
    assertThat(key.parse(new IpPacket().set(packet, 0, packet.readableBytes()))).isTrue();
    return key;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void thePacketsOfARestoredFlowFindIt(boolean ipv6) {
    FlowState before = table(true, 8).lookup(key(ipv6), 0);
    FlowTable snapt = table(false, 8);
    FlowState restored = snapt.restore(FlowTuple.of(before), 1);
    assertThat(FlowTuple.of(restored)).isEqualTo(FlowTuple.of(before));
    assertThat(snapt.restore(FlowTuple.of(before), 2)).isSameAs(restored);
    assertThat(heard).contains(restored);
    assertThat(snapt.find(key(ipv6), true)).isSameAs(restored);
    FlowState opened = snapt.opened(3, key(ipv6), true, 3);
    assertThat(opened).as("the device's OPEN is one flow with it").isSameAs(restored);
    assertThat(snapt.byId(3)).isSameAs(restored);
    assertThat(snapt.size()).isEqualTo(1);
  }

  @Test
  void aTupleIsTheSameFromBytesAndFromAFlow() {
    FlowState flow = table(true, 8).lookup(key(false), 0);
    assertThat(
            FlowTuple.of(
                flow.protocol(),
                flow.deviceAddress().getAddress(),
                flow.remoteAddress().getAddress(),
                flow.devicePort(),
                flow.remotePort()))
        .isEqualTo(FlowTuple.of(flow));
  }

  @Test
  void aFullTableRefusesAndCounts() {
    FlowTable full = table(false, 1);
    FlowState first = table(true, 8).lookup(key(false), 0);
    FlowState second = table(true, 8).lookup(key(true), 0);
    assertThat(full.restore(FlowTuple.of(first), 0)).isNotNull();
    assertThat(full.restore(FlowTuple.of(second), 0)).isNull();
    assertThat(verdicts.of(Verdict.FLOW_TABLE_FULL)).isEqualTo(1);
  }
}
