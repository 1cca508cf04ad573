package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.IpPacket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowEventsTest {
  private static final int HEADROOM = 16;
  private static final int FLOWS = 300;

  private static void open(TunnelEnd at, int flows, long nowNs) {
    for (int i = 0; i < flows; i++) {
      byte[] packet = PacketForge.udp(PacketForge.Endpoints.ipv4(5_000 + i, 9, 5004), new byte[40]);
      ByteBuf buffer = Unpooled.directBuffer().writeZero(HEADROOM).writeBytes(packet);
      at.offer(new IpPacket().set(buffer, HEADROOM, packet.length), nowNs);
      buffer.release();
    }
    at.flush(nowNs);
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
        open(end, FLOWS, 0);
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

  private static ToldEvents read(FlowEvents events, EndRig rig, MockTicker clock) {
    ToldEvents told = new ToldEvents();
    events.start(told, InstantSource.system());
    rig.passMs(clock, 0);
    return told;
  }

  @Test
  void aFlowThatMovesWithItsSessionKeepsItsNumberAndItsTotalsAndHasOneEnd() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    List<TunnelEnd> ends = new ArrayList<>();
    try (EndRig rig = new EndRig(clock)) {
      FlowEvents events = new FlowEvents(rig.loop, () -> ends);
      TunnelEnd end = rig.end(events);
      ends.add(end);
      ToldEvents told = read(events, rig, clock);
      end.install(EndRig.parameters("snapt-1"));
      open(end, 1, 0);
      end.follow(EndRig.parameters("snapt-2"));
      rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS);
      open(end, 1, clock.nanoTime());
      rig.passMs(clock, Retirement.LASTS_MS);
      assertThat(end.isRetiring()).as("the session before has ended").isFalse();
      endAll(end);
      assertThat(told.of("id", "snapt", "sentPackets", "sentBytes"))
          .containsExactly(
              "flow 1 snapt-1", "moved 1 snapt-2", "statistics 1 2 136", "end 1 2 136");
    }
  }

  @Test
  void aFlowThatComesBackWithItsSessionIsToldSo() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    List<TunnelEnd> ends = new ArrayList<>();
    try (EndRig rig = new EndRig(clock)) {
      FlowEvents events = new FlowEvents(rig.loop, () -> ends);
      TunnelEnd end = rig.end(events);
      ends.add(end);
      ToldEvents told = read(events, rig, clock);
      end.install(EndRig.parameters("snapt-1", 1));
      open(end, 1, 0);
      end.follow(EndRig.parameters("snapt-2", 2));
      rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS);
      open(end, 2, clock.nanoTime());
      end.carryAgain(1);
      rig.passMs(clock, SessionSuccession.TURNED_BACK_MS);
      assertThat(told.of("id", "snapt"))
          .filteredOn(each -> !each.startsWith("statistics"))
          .startsWith("flow 1 snapt-1", "moved 1 snapt-2", "flow 2 snapt-2")
          .containsOnlyOnce("moved 1 snapt-1", "moved 2 snapt-1")
          .hasSize(5);
    }
  }

  @Test
  void aFlowWhoseSnaptHasRestartedGoesOn() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    List<TunnelEnd> ends = new ArrayList<>();
    try (EndRig rig = new EndRig(clock)) {
      FlowEvents events = new FlowEvents(rig.loop, () -> ends);
      TunnelEnd end = rig.end(events);
      ends.add(end);
      ToldEvents told = read(events, rig, clock);
      end.install(EndRig.parameters("snapt-1"));
      open(end, 1, 0);
      end.install(EndRig.parameters("snapt-1"));
      open(end, 1, 0);
      end.abandon();
      rig.passMs(clock, 0);
      assertThat(told.of("id", "snapt", "sentPackets"))
          .containsExactly("flow 1 snapt-1", "end 1 2");
    }
  }

  @Test
  void statisticsHaveTheDelayAndTheLossOfTheFlowsPath() throws Exception {
    List<TunnelEnd> ends = new ArrayList<>();
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt there = new MirrorSnapt(TunnelSettings.defaults())) {
      ToldEvents told = new ToldEvents();
      FlowEvents events = new FlowEvents(rig.loop, () -> ends);
      TunnelEnd end = rig.on(() -> rig.end(events));
      ends.add(end);
      events.start(told, InstantSource.system());
      rig.on(() -> {
        end.install(there.parameters());
        return null;
      });
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() ->
              rig.on(() -> {
                open(end, 1, System.nanoTime());
                return told.of().contains("statistics");
              }));
      String first =
          rig.on(() -> told.of("roundTripMs", "delayMs", "lossPercent", "downLossPercent")).stream()
              .filter(each -> each.startsWith("statistics"))
              .findFirst()
              .orElseThrow();
      String number = "\\d+\\.\\d";
      assertThat(first)
          .matches("statistics " + number + " " + number + " " + number + " " + number);
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
