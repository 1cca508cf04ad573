package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Five flows send the same payload at the same time. A copy in the compound of the first one costs
/// little; behind it, it costs as much as the first one.
class RepeatedPayloadTest {
  private static final int FLOWS = 5;
  private static final int WARM_UP = 12;
  private static final int BURSTS = 110;
  private static final long MICROS = 1_000;

  private final LoopbackRig rig = new LoopbackRig();
  private final SplittableRandom random = new SplittableRandom(20_150_902);

  private byte[] text() {
    byte[] text = new byte[1300];
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) "etaoin shrdlu.,\n".charAt(random.nextInt(16));
    }
    return text;
  }

  /// Sends one packet of each flow. Every eleventh time the last packet is read from the device a
  /// moment after the others. In between, waiting has been fruitless for so long that no compound
  /// waits.
  ///
  /// @param hosts number of hosts to which the flows go
  private void burst(int number, int hosts) {
    byte[] payload = text();
    int before = rig.atSnapt.size();
    long startNs = rig.nowNs;
    for (int flow = 0; flow < FLOWS; flow++) {
      if (flow == FLOWS - 1 && number % 11 == 0) {
        rig.send(rig.agent);
        rig.advance(200 * MICROS);
      }
      rig.offer(
          rig.agent, PacketForge.udp(Endpoints.ipv4(2000 + flow, 1 + flow % hosts, 443), payload));
    }
    rig.send(rig.agent);
    while (rig.atSnapt.size() < before + FLOWS) {
      rig.advance(100 * MICROS);
    }
    rig.advance(startNs + 88_000 * MICROS - rig.nowNs);
  }

  private long datagrams(int hosts) {
    rig.serviceClass = ServiceClass.LT_HD;
    long before = 0;
    for (int i = 0; i < WARM_UP + BURSTS; i++) {
      if (i == WARM_UP) {
        before = rig.agent.totals().sentDatagrams();
      }
      burst(i, hosts);
    }
    return rig.agent.totals().sentDatagrams() - before;
  }

  @Test
  void copiesThatComeAMomentLaterTravelInTheSameDatagram() {
    assertThat(datagrams(1)).isEqualTo(BURSTS);
    rig.close();
  }

  @Test
  void aCompoundDoesNotWaitForCopiesToAnotherHost() {
    assertThat(datagrams(FLOWS))
        .as("each compound leaves with its batch")
        .isGreaterThan(BURSTS + 5);
    rig.close();
  }
}
