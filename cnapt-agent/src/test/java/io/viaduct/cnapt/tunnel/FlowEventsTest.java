package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowEventsTest {
  private static final int HEADROOM = 16;
  private static final int FLOWS = 300;

  private static void open(TunnelEnd at, int flows) {
    for (int i = 0; i < flows; i++) {
      byte[] packet = PacketForge.udp(PacketForge.Endpoints.ipv4(5_000 + i, 9, 5004), new byte[40]);
      ByteBuf buffer = Unpooled.directBuffer().writeZero(HEADROOM).writeBytes(packet);
      at.offer(new IpPacket().set(buffer, HEADROOM, packet.length), 0);
      buffer.release();
    }
  }

  @Test
  void manyOpenFlowsAreToldInSlicesAndNoneThatHasEndedMeanwhile() throws Exception {
    try (EndRig rig = new EndRig()) {
      List<String> all = new ArrayList<>();
      List<String> some = new ArrayList<>();
      List<Integer> between = new ArrayList<>();
      TunnelEnd end = rig.on(rig::end);
      FlowEvents events = new FlowEvents(rig.loop, () -> List.of(end));
      rig.on(() -> {
        end.install(EndRig.parameters("snapt-1"));
        open(end, FLOWS);
        events.tellOpen(all::add);
        rig.loop.execute(() -> between.add(all.size()));
        return null;
      });
      untilIdle(rig);
      assertThat(between.getFirst()).as("packets had their turn").isBetween(1, FLOWS - 1);
      assertThat(all).hasSize(FLOWS).doesNotHaveDuplicates();
      rig.on(() -> {
        events.tellOpen(some::add);
        rig.loop.execute(() -> {
          between.add(some.size());
          endAll(end);
        });
        return null;
      });
      untilIdle(rig);
      assertThat(some).hasSize(between.getLast());
    }
  }

  private static void endAll(TunnelEnd of) {
    List<FlowState> open = new ArrayList<>();
    of.session().flows().forEach(open::add);
    open.forEach(flow -> of.giveUp(flow, 0));
  }

  // Each slice queues the next one.
  private static void untilIdle(EndRig rig) throws Exception {
    for (int i = 0; i < FLOWS; i++) {
      rig.on(() -> null);
    }
  }
}
