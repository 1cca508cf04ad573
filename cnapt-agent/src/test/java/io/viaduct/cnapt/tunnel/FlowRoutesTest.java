package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.viaduct.cnapt.links.LinkUse;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A flow with a line of the user that sends one packet and then only receives, while its links
/// come and go. Real sockets on the loopback; the clock belongs to the test.
class FlowRoutesTest {
  private static final int HEADROOM = 16;
  private static final int TURN_MS = 5;
  private static final UsableLink CHEAP = link(1, 0);
  private static final UsableLink DEAR = link(2, 5);

  private final MockTicker clock = Ticker.newMockTicker();
  private EndRig rig;
  private LoopbackSnapt snapt;
  private TunnelEnd end;

  private static UsableLink link(int index, double cost) {
    return new UsableLink(
        "lo", index, List.of(InetAddress.ofLiteral("127.0.0.1")), cost, LinkUse.YES, null);
  }

  @BeforeEach
  void open() throws Exception {
    clock.advanceMillis(Duration.ofSeconds(5).toMillis());
    rig = new EndRig(clock);
    snapt = new LoopbackSnapt(clock.nanoTime());
  }

  @AfterEach
  void close() throws Exception {
    rig.close();
    snapt.close();
  }

  /// Begins a session over these links, and sends the one packet of the flow.
  private void begin(String method, UsableLink... links) throws Exception {
    end =
        rig.end(
            FlowChanges.NONE,
            rig.policy("{protocol: udp, ports: [5000], method: '%s'}".formatted(method)));
    List.of(links).forEach(each -> end.linkChanged(null, each));
    end.install(EndRig.parameters(snapt));
    pass(500);
    byte[] packet = PacketForge.udp(LoopbackPaths.ENDPOINTS, new byte[40]);
    ByteBuf buffer = Unpooled.directBuffer().writeZero(HEADROOM).writeBytes(packet);
    end.offer(new IpPacket().set(buffer, HEADROOM, packet.length, 0, false), clock.nanoTime());
    end.flush(clock.nanoTime());
    buffer.release();
    pass(500);
  }

  private void pass(int ms) throws Exception {
    for (int i = 0; i < ms; i += TURN_MS) {
      rig.passMs(clock, TURN_MS);
      snapt.turn(clock.nanoTime());
    }
  }

  /// Lets the SNAPT send a packet every 10 ms.
  private void download(int ms) throws Exception {
    for (int i = 0; i < ms; i += 2 * TURN_MS) {
      snapt.answerPacket();
      pass(2 * TURN_MS);
    }
    pass(50);
  }

  private long received() {
    long[] packets = new long[1];
    end.session().flows().forEach(flow -> packets[0] += flow.received().packets());
    return packets[0];
  }

  @Test
  void aDownloadByTheCheapestLinkGoesOnWhenThatLinkGoesAndComesBack() throws Exception {
    begin("cost", CHEAP, DEAR);
    int cheap = snapt.route();
    assertThat(FlowRoute.isPath(cheap)).isTrue();
    download(500);
    end.linkChanged(CHEAP, null);
    pass(50);
    assertThat(snapt.route()).as("told without a packet of the device").isNotEqualTo(cheap);
    assertThat(FlowRoute.isPath(snapt.route())).isTrue();
    long before = received();
    download(500);
    assertThat(received() - before).isEqualTo(50);
    int dear = snapt.route();
    end.linkChanged(null, CHEAP);
    download(10_000);
    assertThat(snapt.route()).as("the cheaper link, after the hold time").isNotEqualTo(dear);
    assertThat(received() - before).isEqualTo(1_050);
    assertThat(snapt.verdict(Verdict.NO_PATH)).isZero();
  }

  @Test
  void aFlowOfOneLinkThatOnlyReceivesGoesOnWhenItsLinkIsBack() throws Exception {
    begin("own lo", CHEAP);
    assertThat(FlowRoute.isBinding(snapt.route())).isTrue();
    end.linkChanged(CHEAP, null);
    pass(1_000);
    assertThat(snapt.route()).isEqualTo(FlowRoute.NONE);
    end.linkChanged(null, CHEAP);
    pass(1_500);
    assertThat(FlowRoute.isPath(snapt.route())).isTrue();
    long before = received();
    download(200);
    assertThat(received() - before).isEqualTo(20);
  }

  @Test
  void aRouteWhoseFirstRecordsAreLostIsToldAgain() throws Exception {
    begin("own lo", CHEAP);
    end.linkChanged(CHEAP, null);
    pass(1_000);
    end.linkChanged(null, CHEAP);
    pass(100);
    snapt.losesAll = true;
    pass(500);
    snapt.losesAll = false;
    pass(4_000);
    assertThat(FlowRoute.isPath(snapt.route())).isTrue();
  }

  @Test
  void aLaterStepBeginsForAFlowThatOnlyReceives() throws Exception {
    begin("cost then all after 5 s", CHEAP, DEAR);
    assertThat(FlowRoute.isPath(snapt.route())).isTrue();
    download(8_000);
    assertThat(snapt.route()).isEqualTo(FlowRoute.TWO_PATHS);
  }
}
