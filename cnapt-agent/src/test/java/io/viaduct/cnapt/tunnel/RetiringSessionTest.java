package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A session that another SNAPT has taken over. A laboratory test hands sessions over under load.
class RetiringSessionTest {
  @Test
  void itsFlowsGoOnInTheSessionThatFollows() throws Exception {
    ByteBuf packet =
        Unpooled.directBuffer()
            .writeBytes(PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 5004), new byte[40]));
    try (EndRig rig = new EndRig()) {
      List<String> seen =
          rig.on(() -> {
            List<String> words = new ArrayList<>();
            TunnelEnd end = rig.end();
            end.install(EndRig.parameters("snapt-1"));
            IpPacket sent = new IpPacket().set(packet, 0, packet.readableBytes());
            end.offer(sent, 0);
            TunnelSession before = end.session();
            end.retire();
            words.add("between: " + end.session());
            end.install(EndRig.parameters("snapt-2"));
            rig.memory.parse(sent);
            FlowState moved = end.flowOfParsed();
            words.add("same session: " + (before == end.session()));
            words.add("flows: " + end.session().flows().size());
            words.add(moved == null ? "lost" : ((FlowNote) moved.attachment()).whyPlaced());
            end.install(EndRig.parameters("snapt-3"));
            words.add("later: " + end.session().flows().size());
            return words;
          });
      assertThat(seen)
          .containsExactly(
              "between: null",
              "same session: false",
              "flows: 1",
              "it has moved with its session",
              "later: 0");
    }
    packet.release();
  }

  @Test
  void itIsForgottenWhenNothingIsUnderWayToItAnyMore() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    try (EndRig rig = new EndRig(clock)) {
      TunnelEnd end = rig.end();
      end.install(EndRig.parameters("snapt-1"));
      end.retire();
      end.install(EndRig.parameters("snapt-2"));
      rig.passMs(clock, RetiringSession.LASTS_MS - 1);
      assertThat(end.isRetiring()).isTrue();
      rig.passMs(clock, 1);
      assertThat(end.isRetiring()).isFalse();
    }
  }

  @Test
  void oneThatFollowsSoonHasItsFullTime() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    try (EndRig rig = new EndRig(clock)) {
      TunnelEnd end = rig.end();
      end.install(EndRig.parameters("snapt-1"));
      end.retire();
      end.install(EndRig.parameters("snapt-2"));
      rig.passMs(clock, 1_000);
      end.retire();
      end.install(EndRig.parameters("snapt-3"));
      rig.passMs(clock, RetiringSession.LASTS_MS - 1);
      assertThat(end.isRetiring()).isTrue();
      rig.passMs(clock, 1);
      assertThat(end.isRetiring()).isFalse();
    }
  }
}
