package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TunnelSessionTest {
  private final LoopbackRig rig = new LoopbackRig();
  private final Random random = new Random(11);

  @AfterEach
  void close() {
    rig.close();
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void aFirstPacketTravelsWholeAndTheNextOnesWithoutHeaders() {
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    byte[] packet = PacketForge.udp(to, bytes(60));
    rig.open(packet);
    assertThat(rig.atSnapt).hasSize(1);
    assertThat(rig.atSnapt.getFirst().packet()).isEqualTo(packet);

    rig.offer(rig.agent, packet);
    rig.passDeadline(rig.agent);
    int onTheWire = rig.up.getFirst().length;
    rig.deliver();
    // header 8, tag 16, stamp 8, descriptor 1, kind 1, flow 1
    assertThat(onTheWire).isEqualTo(8 + 16 + 8 + 1 + 2 + 60);
    var restored = rig.atSnapt.getLast();
    assertThat(PacketForge.canonical(restored.packet(), restored.partial()))
        .isEqualTo(PacketForge.canonical(packet, false));
    assertThat(restored.flow()).isSameAs(rig.atSnapt.getFirst().flow());
    assertThat(restored.flow().application()).isEqualTo(3);
    assertThat(restored.flow().serviceClass()).isEqualTo(ServiceClass.HT_HD);
  }

  @Test
  void aSuperpacketComesOutAsOne() {
    Endpoints to = Endpoints.ipv4(5000, 7, 80);
    rig.open(PacketForge.tcp(to, 1, PacketForge.ACK, bytes(10)));
    byte[] payload = bytes(1380 * 46 + 500);
    byte[] big =
        PacketForge.checksum(
            PacketForge.tcp(to, 11, PacketForge.ACK | PacketForge.PSH, payload), 1);
    rig.atSnapt.clear();
    assertThat(rig.offer(rig.agent, big, 1380, true)).isEqualTo(Verdict.QUEUED);
    rig.send(rig.agent);
    assertThat(rig.up.size()).isBetween(47, 48);
    rig.deliver();
    assertThat(rig.atSnapt).hasSize(1);
    var restored = rig.atSnapt.getFirst();
    assertThat(restored.gsoSize()).isEqualTo(1380);
    assertThat(restored.partial()).isTrue();
    assertThat(PacketForge.canonical(restored.packet(), true))
        .isEqualTo(PacketForge.canonical(big, true));
  }
}
