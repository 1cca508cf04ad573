package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.cnapt.snapts.SnaptChoice;
import io.viaduct.cnapt.snapts.SnaptsSettings;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

class TunnelEndsTest {
  @Test
  void whatIsNoIpPacketIsCountedWhicheverLineHasASession() throws Exception {
    try (EndRig rig = new EndRig()) {
      ByteBuf garbage = Unpooled.directBuffer().writeZero(64);
      long counted =
          rig.on(() -> {
            TunnelEnd without = rig.end();
            TunnelEnd with = rig.end();
            with.install(EndRig.parameters("snapt-2"));
            TunnelEnds ends =
                new TunnelEnds(
                    () -> 0, rig.memory, rig.classes, new SnaptChoice(new SnaptsSettings(2, 0)));
            ends.set(List.of(without, with));
            ends.packet(new IpPacket().set(garbage, 0, 40), 0);
            return rig.carried.verdict(Verdict.NOT_IP);
          });
      assertThat(counted).isEqualTo(1);
      garbage.release();
    }
  }
}
