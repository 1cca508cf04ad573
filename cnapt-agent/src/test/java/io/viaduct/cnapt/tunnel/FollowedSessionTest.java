package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.viaduct.cnapt.snapts.Missed;
import io.viaduct.cnapt.snapts.SnaptDecision;
import io.viaduct.cnapt.snapts.SnaptFacts;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A session that another SNAPT takes over, and a SNAPT that has restarted. A laboratory test hands
/// sessions over under load.
class FollowedSessionTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final ByteBuf packet =
      Unpooled.directBuffer()
          .writeBytes(
              PacketForge.tcp(
                  PacketForge.Endpoints.ipv4(40_000, 7, 443), 100, PacketForge.ACK, new byte[40]));
  private final IpPacket sent = new IpPacket().set(packet, 0, packet.readableBytes());

  @AfterEach
  void release() {
    packet.release();
  }

  @Test
  void thePresentSessionCarriesUntilTheNextOneHasItsFirstAnswer() throws Exception {
    TunnelSettings settings = TunnelSettings.defaults();
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt old = new MirrorSnapt(settings);
        MirrorSnapt late = new MirrorSnapt(settings)) {
      TunnelEnd end = rig.on(rig::end);
      rig.on(() -> {
        end.install(old.parameters());
        return null;
      });
      await().atMost(LONG).until(() -> rig.on(() -> !end.paths().isSilent()));
      late.delay(50_000_000);
      TunnelSession before = end.session();
      List<Object> seen =
          rig.on(() -> {
            end.offer(sent, System.nanoTime());
            end.follow(late.parameters());
            end.offer(sent, System.nanoTime());
            end.flush(System.nanoTime());
            rig.memory.parse(sent);
            return List.of(
                end.isFollowed(), end.session() == before, end.flowOfParsed().sent().packets());
          });
      assertThat(seen).as("the old one carries both packets").containsExactly(true, true, 2L);
      await().atMost(LONG).until(() -> rig.on(() -> !end.isFollowed()));
      assertThat(rig.on(() -> end.paths().isSilent())).as("its path is measured").isFalse();
      assertThat(rig.on(() -> Double.isNaN(end.session().roundTripUs()))).isFalse();
      assertThat(rig.on(() -> end.session().flows().size())).isEqualTo(1);
      assertThat(rig.on(end::isRetiring)).isTrue();
    }
  }

  @Test
  void itsFlowsGoOnInTheSessionThatFollowsAlsoWithoutAnAnswer() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    try (EndRig rig = new EndRig(clock)) {
      List<String> words = new ArrayList<>();
      TunnelEnd end = rig.end();
      end.install(EndRig.parameters("snapt-1"));
      end.offer(sent, 0);
      end.follow(EndRig.parameters("snapt-2"));
      rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS - 1);
      words.add(end.name());
      rig.passMs(clock, 1);
      words.add(end.name());
      words.add("flows: " + end.session().flows().size());
      rig.memory.parse(sent);
      FlowState moved = end.flowOfParsed();
      words.add(moved == null ? "lost" : ((FlowNote) moved.attachment()).whyPlaced());
      end.install(EndRig.parameters("snapt-3"));
      words.add("later: " + end.session().flows().size());
      assertThat(words)
          .containsExactly(
              "snapt-1", "snapt-2", "flows: 1", "it has moved with its session", "later: 0");
    }
  }

  @Test
  void aFlowThatHasMovedTwiceStillTellsWhyItGotItsFirstSnapt() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    try (EndRig rig = new EndRig(clock)) {
      TunnelEnd end = rig.end();
      end.install(EndRig.parameters("snapt-1"));
      end.offer(sent, 0);
      SnaptFacts weighed = SnaptFacts.unknown("snapt-1");
      ((FlowNote) flowOf(rig, end).attachment()).placed =
          new SnaptDecision(
              0,
              ServiceClass.HT_HD,
              List.of(new SnaptDecision.Weighed(weighed, Missed.NOTHING, 5)),
              false);
      for (String next : List.of("snapt-2", "snapt-3")) {
        end.follow(EndRig.parameters(next));
        rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS);
      }
      assertThat(((FlowNote) flowOf(rig, end).attachment()).whyPlaced())
          .startsWith(
              "it has moved with its session; it began with: least cost of class HT_HD at its"
                  + " first packet: snapt-1 costs 5.0 ms")
          .containsOnlyOnce("it has moved");
    }
  }

  @Test
  void readersOfTheRoutingHookHearOfAMovedFlowWithTheSnaptThatHasItNow() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    List<TunnelEnd> ends = new ArrayList<>();
    try (EndRig rig = new EndRig(clock)) {
      ToldEvents told = new ToldEvents();
      FlowEvents events = new FlowEvents(rig.loop, () -> ends);
      TunnelEnd end = rig.end(events);
      ends.add(end);
      events.start(told, InstantSource.system());
      rig.passMs(clock, 0);
      end.install(EndRig.parameters("snapt-1"));
      end.offer(sent, 0);
      end.follow(EndRig.parameters("snapt-2"));
      rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS);
      assertThat(told.of("snapt")).containsExactly("flow snapt-1", "moved snapt-2");
    }
  }

  @Test
  void whatWaitsInTheSessionBeforeStillLeavesByIt() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    ByteBuf voice =
        Unpooled.directBuffer()
            .writeBytes(PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 5004), new byte[40]));
    IpPacket spoken = new IpPacket().set(voice, 0, voice.readableBytes());
    try (EndRig rig = new EndRig(clock)) {
      TunnelEnd end = rig.end();
      end.install(EndRig.parameters("snapt-1"));
      TunnelSession before = end.session();
      end.follow(EndRig.parameters("snapt-2"));
      for (long ms = 2;
          ms < SessionSuccession.FIRST_ANSWER_MS;
          ms += 2) { // so often that packets wait
        rig.passMs(clock, 2);
        end.offer(spoken, clock.nanoTime());
        end.flush(clock.nanoTime());
      }
      assertThat(end.isFollowed()).isTrue();
      long sentAtOnce = before.totals().sent(ServiceClass.HT_LD).postBytes();
      rig.passMs(clock, 2);
      assertThat(end.name()).isEqualTo("snapt-2");
      rig.passMs(clock, 100);
      assertThat(before.totals().sent(ServiceClass.HT_LD).postBytes()).isGreaterThan(sentAtOnce);
    }
    voice.release();
  }

  @Test
  void theSocketOfAFlowThatHasMovedIsToldWhenTheNextSnaptIsLostBeforeItHasSentAgain()
      throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    try (EndRig rig = new EndRig(clock)) {
      TunnelEnd end = rig.end();
      end.install(EndRig.parameters("snapt-1"));
      end.offer(sent, 0);
      end.follow(EndRig.parameters("snapt-2"));
      rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS);
      end.abandon();
      assertThat(rig.answered)
          .as("a reset with the sequence number that the socket expects")
          .anyMatch(each -> each.contains("01bb9c40" + "0a0b0c0d" + "00000000" + "5004"));
    }
  }

  @Test
  void aFlowThatWasAnsweredBeforeItMovedStaysAtTheNextSnaptWhileThatIsSilent() throws Exception {
    TunnelSettings settings = TunnelSettings.defaults();
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt old = new MirrorSnapt(settings)) {
      TunnelEnd end = rig.on(rig::end);
      rig.on(() -> {
        end.install(old.parameters());
        end.offer(sent, System.nanoTime());
        end.flush(System.nanoTime());
        return null;
      });
      await().atMost(LONG).until(() -> rig.on(() -> flowOf(rig, end).received().packets() > 0));
      rig.on(() -> {
        end.follow(EndRig.parameters("nobody"));
        return null;
      });
      await().atMost(LONG).until(() -> rig.on(() -> end.name().equals("nobody")));
      assertThat(rig.on(() -> end.paths().isSilent())).isTrue();
      assertThat(rig.on(() -> end.keeps(flowOf(rig, end)))).isTrue();
    }
  }

  private FlowState flowOf(EndRig rig, TunnelEnd end) {
    rig.memory.parse(sent);
    return end.flowOfParsed();
  }

  @Test
  void aSnaptThatHasRestartedHasItsFlowsAgainAlsoWhereTheirTiesHaveMoved() throws Exception {
    try (EndRig rig = new EndRig(Ticker.newMockTicker())) {
      TunnelEnd end = rig.end();
      end.install(EndRig.parameters("snapt-1"));
      end.offer(sent, 0);
      end.install(EndRig.parameters("snapt-1"));
      FlowState again = flowOf(rig, end);
      assertThat(again).isNotNull();
      assertThat(((FlowNote) again.attachment()).whyPlaced()).isEqualTo("its SNAPT is back");
      assertThat(end.session().flows().size()).isEqualTo(1);
    }
  }

  @Test
  void theSessionBeforeIsForgottenWhenNothingIsUnderWayToItAnyMore() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    try (EndRig rig = new EndRig(clock)) {
      TunnelEnd end = rig.end();
      end.install(EndRig.parameters("snapt-1"));
      end.follow(EndRig.parameters("snapt-2"));
      rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS);
      rig.passMs(clock, Retirement.LASTS_MS - 1);
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
      end.follow(EndRig.parameters("snapt-2"));
      rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS);
      end.follow(EndRig.parameters("snapt-3"));
      rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS);
      rig.passMs(clock, Retirement.LASTS_MS - 1);
      assertThat(end.isRetiring()).isTrue();
      rig.passMs(clock, 1);
      assertThat(end.isRetiring()).isFalse();
    }
  }

  @Test
  void theSessionBeforeCarriesAgainWithAllFlowsWhenTheNextSnaptIsLost() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    try (EndRig rig = new EndRig(clock)) {
      TunnelEnd end = rig.end();
      end.install(EndRig.parameters("snapt-1", 1));
      TunnelSession before = end.session();
      end.follow(EndRig.parameters("snapt-2", 2));
      rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS);
      end.offer(sent, clock.nanoTime()); // a flow that only the new session has seen
      end.flush(clock.nanoTime());
      long refused = end.pathTotals().refusals();
      end.carryAgain(1);
      assertThat(end.name()).isEqualTo("snapt-1");
      assertThat(end.session()).isSameAs(before);
      assertThat(flowOf(rig, end)).as("the flow goes on").isNotNull();
      end.offer(sent, clock.nanoTime());
      end.flush(clock.nanoTime());
      assertThat(before.totals().preBytes()).as("the session carries").isPositive();
      assertThat(end.pathTotals().refusals()).isGreaterThanOrEqualTo(refused);
      rig.passMs(clock, Retirement.LASTS_MS + 1);
      end.carryAgain(2);
      assertThat(end.name()).as("it was taken over nevertheless").isEqualTo("snapt-2");
      assertThat(flowOf(rig, end)).isNotNull();
      end.carryAgain(7);
      assertThat(end.name()).as("an unknown session").isEqualTo("snapt-2");
    }
  }

  @Test
  void theSessionBeforeGoesOnWhenTheNextSnaptIsLostBeforeItsFirstAnswer() throws Exception {
    MockTicker clock = Ticker.newMockTicker();
    try (EndRig rig = new EndRig(clock)) {
      TunnelEnd end = rig.end();
      end.install(EndRig.parameters("snapt-1", 1));
      end.follow(EndRig.parameters("snapt-2", 2));
      end.carryAgain(1);
      assertThat(end.isFollowed()).isFalse();
      rig.passMs(clock, SessionSuccession.FIRST_ANSWER_MS + 1);
      assertThat(end.name()).isEqualTo("snapt-1");
      rig.passMs(clock, SessionSuccession.TURNED_BACK_MS);
      assertThat(end.isRetiring()).isFalse();
      end.carryAgain(2);
      assertThat(end.name()).as("it was forgotten").isEqualTo("snapt-1");
    }
  }
}
