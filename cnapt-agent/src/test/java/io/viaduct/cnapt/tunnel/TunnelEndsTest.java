package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.policy.PlacedFlow;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.policy.Unmet;
import io.viaduct.cnapt.snapts.SnaptChoice;
import io.viaduct.cnapt.snapts.SnaptFacts.State;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.cnapt.snapts.SnaptsSettings;
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TunnelEndsTest {
  private static final int HEADROOM = 16;
  private static final long LATE_NS = 450_000_000; // for a class of low delay

  private static TunnelEnds ends(EndRig rig, Unmet unmet, TunnelEnd... all) {
    TunnelEnds ends = ends(rig, unmet);
    ends.set(List.of(all));
    return ends;
  }

  private static TunnelEnds ends(EndRig rig, Unmet unmet) {
    SnaptChoice choice = new SnaptChoice(new SnaptsSettings(2, 0, unmet, ""));
    TunnelEnds ends =
        new TunnelEnds(
            System::nanoTime, rig.memory, rig.classes, choice, rig.policy(), rig.refusals);
    rig.onChange(ends::stateChanged);
    return ends;
  }

  private static void packet(TunnelEnds to, byte[] packet) {
    ByteBuf buffer = Unpooled.directBuffer().writeZero(HEADROOM).writeBytes(packet);
    to.packet(new IpPacket().set(buffer, HEADROOM, packet.length), System.nanoTime());
    to.batchEnd(System.nanoTime());
    buffer.release();
  }

  private static PacketForge.Endpoints voice(int port) {
    return PacketForge.Endpoints.ipv4(port, 9, 5004); // HT_LD by its port
  }

  private static void awaitState(EndRig rig, TunnelEnd end, State state) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() ->
            rig.on(() -> {
              var facts = end.facts(System.nanoTime());
              return facts.state() == state
                  && (state != State.CARRYING || !Double.isNaN(facts.roundTripMs()));
            }));
  }

  @Test
  void whatIsNoIpPacketIsCountedWhicheverLineHasASession() throws Exception {
    try (EndRig rig = new EndRig()) {
      ByteBuf garbage = Unpooled.directBuffer().writeZero(64);
      long counted =
          rig.on(() -> {
            TunnelEnd without = rig.end();
            TunnelEnd with = rig.end();
            with.install(EndRig.parameters("snapt-2"));
            TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT, without, with);
            ends.packet(new IpPacket().set(garbage, 0, 40), 0);
            return rig.carried.verdict(Verdict.NOT_IP);
          });
      assertThat(counted).isEqualTo(1);
      garbage.release();
    }
  }

  @Test
  void aFlowThatNothingHasAnsweredLeavesASilentSnaptAndOneThatHasAnAddressStays() throws Exception {
    TunnelSettings settings = TunnelSettings.defaults();
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt dying = new MirrorSnapt(settings);
        MirrorSnapt other = new MirrorSnapt(settings)) {
      TunnelEnd first = rig.on(rig::end);
      TunnelEnd second = rig.on(rig::end);
      rig.on(() -> {
        first.install(dying.parameters());
        return null;
      });
      TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT, first, second);
      awaitState(rig, first, State.CARRYING);
      rig.on(() -> {
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        return null;
      });
      await().until(() -> rig.on(() -> answered(first)) == 1);
      dying.close();
      rig.on(() -> {
        packet(ends, PacketForge.udp(voice(5_001), new byte[40]));
        second.install(other.parameters());
        return null;
      });
      awaitState(rig, second, State.CARRYING);
      awaitState(rig, first, State.SILENT);
      assertThat(first.isSilent()).isTrue();
      List<Integer> there =
          rig.on(() -> {
            packet(ends, PacketForge.udp(voice(5_001), new byte[40]));
            packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
            return ports(second);
          });
      assertThat(there).containsExactly(5_001);
      assertThat(rig.on(() -> ports(first))).containsExactly(5_000);
    }
  }

  @Test
  void aStreamThatNothingAnswersStaysIfItBeganSomeRoundTripsBeforeTheSilence() throws Exception {
    TunnelSettings settings = TunnelSettings.defaults();
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt dying = new MirrorSnapt(settings)) {
      TunnelEnd first = rig.on(rig::end);
      rig.on(() -> {
        first.install(dying.parameters());
        return null;
      });
      awaitState(rig, first, State.CARRYING);
      dying.close();
      rig.on(() -> {
        stream(first, 5_000, System.nanoTime() - 1_000_000_000);
        return null;
      });
      awaitState(rig, first, State.SILENT);
      rig.on(() -> {
        stream(first, 5_001, System.nanoTime());
        assertThat(first.keeps(flow(first, 5_000))).isTrue();
        assertThat(first.keeps(flow(first, 5_001))).as("nobody can know it").isFalse();
        return null;
      });
    }
  }

  private static void stream(TunnelEnd at, int port, long nowNs) {
    byte[] packet = PacketForge.udp(voice(port), new byte[40]);
    for (int i = 0; i < 20; i++) {
      ByteBuf buffer = Unpooled.directBuffer().writeZero(HEADROOM).writeBytes(packet);
      at.offer(new IpPacket().set(buffer, HEADROOM, packet.length), nowNs);
      buffer.release();
    }
    at.flush(System.nanoTime());
  }

  @Test
  void otherThreadsSeeASilenceThatAChangeOfNetworkBegins() throws Exception {
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt there = new MirrorSnapt(TunnelSettings.defaults())) {
      TunnelEnd end = rig.on(rig::end);
      rig.on(() -> {
        end.install(there.parameters());
        return null;
      });
      awaitState(rig, end, State.CARRYING);
      assertThat(end.isSilent()).isFalse();
      rig.on(() -> {
        end.networkChanged();
        assertThat(end.paths().isSilent()).as("the first answer is awaited").isTrue();
        assertThat(end.isSilent()).isTrue();
        return null;
      });
      awaitState(rig, end, State.CARRYING);
      assertThat(end.isSilent()).isFalse();
    }
  }

  @Test
  void packetsThatNoSnaptServesCallForAStandInWhichGetsTheNextFlowsAndTheOldOnesStay()
      throws Exception {
    TunnelSettings settings = TunnelSettings.defaults();
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt home = new MirrorSnapt(settings);
        MirrorSnapt other = new MirrorSnapt(settings)) {
      TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT);
      TunnelEnd first = rig.on(() -> rig.end(ends));
      TunnelEnd second = rig.on(() -> rig.end(ends));
      AtomicInteger calls = new AtomicInteger();
      rig.on(() -> {
        ends.set(List.of(first, second));
        ends.tell(
            new ServiceListener() {
              @Override
              public void unserved() {
                calls.incrementAndGet();
              }
            });
        packet(ends, PacketForge.udp(voice(4_999), new byte[40]));
        first.install(home.parameters());
        return null;
      });
      awaitState(rig, first, State.CARRYING);
      rig.on(() -> {
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        return null;
      });
      await().until(() -> rig.on(() -> answered(first)) == 1);
      assertThat(calls).as("neither without a session, nor while one serves").hasValue(0);
      rig.on(() -> {
        first.told(true, 0);
        packet(ends, PacketForge.udp(voice(5_001), new byte[40]));
        packet(ends, PacketForge.udp(voice(5_001), new byte[40]));
        return null;
      });
      assertThat(calls).as("once in 200 ms").hasValue(1);
      rig.on(() -> {
        second.install(other.parameters());
        return null;
      });
      awaitState(rig, second, State.CARRYING);
      rig.on(() -> {
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        packet(ends, PacketForge.udp(voice(5_002), new byte[40]));
        return null;
      });
      assertThat(rig.on(() -> ports(first))).containsExactlyInAnyOrder(5_000, 5_001);
      assertThat(rig.on(() -> ports(second))).containsExactly(5_002);
      rig.on(() -> {
        first.abandon();
        packet(ends, PacketForge.udp(voice(5_003), new byte[40]));
        return null;
      });
      assertThat(rig.on(() -> ports(second))).containsExactlyInAnyOrder(5_002, 5_003);
      assertThat(calls).hasValue(1);
    }
  }

  @Test
  void aLineWhoseControlConnectionIsLostIsAskedAndANewSessionNeedNotAnswerBeforeItGetsFlows()
      throws Exception {
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt home = new MirrorSnapt(TunnelSettings.defaults())) {
      TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT);
      TunnelEnd first = rig.on(() -> rig.end(ends));
      TunnelEnd second = rig.on(() -> rig.end(ends));
      rig.on(() -> {
        ends.set(List.of(first, second));
        first.install(home.parameters());
        first.control((frames, taken) -> {
          frames.release();
          taken.run();
        });
        return null;
      });
      awaitState(rig, first, State.CARRYING);
      home.close();
      rig.on(() -> {
        first.controlLost();
        assertThat(first.answers()).as("it is asked").isFalse();
        assertThat(first.isSilent()).isFalse();
        return null;
      });
      awaitState(rig, first, State.SILENT);
      rig.on(() -> {
        second.install(EndRig.parameters("snapt-2")); // nobody answers there
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        return null;
      });
      assertThat(rig.on(() -> ports(second))).containsExactly(5_000);
      assertThat(rig.on(() -> second.facts(System.nanoTime()).state())).isEqualTo(State.BEGINNING);
      awaitState(rig, second, State.SILENT);
    }
  }

  private static FlowState flow(TunnelEnd of, int port) {
    List<FlowState> found = new ArrayList<>();
    of.session()
        .flows()
        .forEach(flow -> {
          if (flow.devicePort() == port) {
            found.add(flow);
          }
        });
    return found.getFirst();
  }

  @Test
  void flowsThatBelongTogetherStayInTheFirstRoundTripOfANewSessionButNotWhenTheSnaptIsLost()
      throws Exception {
    TunnelSettings settings = TunnelSettings.defaults();
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt home = new MirrorSnapt(settings);
        MirrorSnapt again = new MirrorSnapt(settings);
        MirrorSnapt other = new MirrorSnapt(settings)) {
      TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT);
      TunnelEnd first = rig.on(() -> rig.end(ends));
      TunnelEnd second = rig.on(() -> rig.end(ends));
      ends.set(List.of(first, second));
      rig.on(() -> {
        first.install(home.parameters());
        return null;
      });
      awaitState(rig, first, State.CARRYING);
      rig.on(() -> {
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        second.install(other.parameters());
        return null;
      });
      awaitState(rig, second, State.CARRYING);
      rig.on(() -> {
        first.install(again.parameters()); // it has restarted, and has not answered yet
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        return null;
      });
      assertThat(rig.on(() -> ports(first))).containsExactly(5_000);
      awaitState(rig, first, State.CARRYING);
      rig.on(() -> {
        first.abandon();
        first.install(home.parameters());
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        return null;
      });
      assertThat(rig.on(() -> ports(first))).as("the address is another one").isEmpty();
      assertThat(rig.on(() -> ports(second))).containsExactly(5_000);
    }
  }

  @Test
  void flowsThatBelongTogetherStayWhereANearerSnaptIsSoughtButNotWhereOneDrains() throws Exception {
    TunnelSettings settings = TunnelSettings.defaults();
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt one = new MirrorSnapt(settings);
        MirrorSnapt other = new MirrorSnapt(settings)) {
      TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT);
      TunnelEnd first = rig.on(() -> rig.end(ends));
      TunnelEnd second = rig.on(() -> rig.end(ends));
      ends.set(List.of(first, second));
      rig.on(() -> {
        first.install(one.parameters());
        return null;
      });
      awaitState(rig, first, State.CARRYING);
      rig.on(() -> {
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        second.install(other.parameters());
        return null;
      });
      awaitState(rig, second, State.CARRYING);
      rig.on(() -> {
        first.seeksNearer(true);
        ends.stateChanged();
        packet(ends, PacketForge.udp(voice(5_001), new byte[40]));
        return null;
      });
      assertThat(rig.on(() -> ports(first))).containsExactlyInAnyOrder(5_000, 5_001);
      rig.on(() -> {
        first.told(true, 0);
        ends.stateChanged();
        packet(ends, PacketForge.udp(voice(5_002), new byte[40]));
        return null;
      });
      assertThat(rig.on(() -> ports(second))).containsExactly(5_002);
    }
  }

  @Test
  void theSnaptOfAFlowIsToldWithoutBeginningIt() throws Exception {
    TunnelSettings settings = TunnelSettings.defaults();
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt one = new MirrorSnapt(settings);
        MirrorSnapt other = new MirrorSnapt(settings)) {
      TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT);
      TunnelEnd first = rig.on(() -> rig.end(ends));
      TunnelEnd second = rig.on(() -> rig.end(ends));
      ends.set(List.of(first, second));
      rig.on(() -> {
        first.install(one.parameters());
        return null;
      });
      awaitState(rig, first, State.CARRYING);
      rig.on(() -> {
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        second.install(other.parameters());
        return null;
      });
      awaitState(rig, second, State.CARRYING);
      FlowTuple running = rig.on(() -> FlowTuple.of(flow(first, 5_000)));
      rig.on(() -> {
        PlacedFlow placed = ends.place(running, voice(), System.nanoTime());
        assertThat(placed.snapt()).isEqualTo(first.name());
        assertThat(placed.why()).isEqualTo("the flow runs there");
        assertThat(placed.refused()).isFalse();
        assertThat(placed.ranksItself()).isEqualTo(first.session().knows(FlowRoute.MOST_SPARE));
        assertThat(placed.spreads()).isEqualTo(first.session().spreads(running.protocol()));
        placed = ends.place(besides(running, 5_001), voice(), System.nanoTime());
        assertThat(placed.snapt()).isEqualTo(first.name());
        assertThat(placed.why()).startsWith("follows the flows of class HT_LD to its host");
        first.told(true, 0);
        ends.stateChanged();
        placed = ends.place(besides(running, 5_001), voice(), System.nanoTime());
        assertThat(placed.snapt()).isEqualTo(second.name());
        assertThat(placed.why()).startsWith("least cost of class HT_LD");
        return null;
      });
      assertThat(rig.on(() -> ports(first))).containsExactly(5_000);
      assertThat(rig.on(() -> ports(second))).isEmpty();
    }
  }

  private static Application voice() {
    return new Application(0, "voice-call", ServiceClass.HT_LD);
  }

  private static FlowTuple besides(FlowTuple flow, int port) {
    return new FlowTuple(
        flow.protocol(),
        flow.deviceHigh(),
        flow.deviceLow(),
        flow.remoteHigh(),
        flow.remoteLow(),
        port,
        flow.remotePort());
  }

  private static int answered(TunnelEnd of) {
    int[] flows = {0};
    of.session().flows().forEach(flow -> flows[0] += flow.received().packets() > 0 ? 1 : 0);
    return flows[0];
  }

  private static List<Integer> ports(TunnelEnd of) {
    List<Integer> ports = new ArrayList<>();
    of.session().flows().forEach(flow -> ports.add(flow.devicePort()));
    return ports;
  }

  @Test
  void aFlowThatNoSnaptCanServeIsRefusedAndExplainedAndConnectionsThatLiveAreNot()
      throws Exception {
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt late = new MirrorSnapt(TunnelSettings.defaults())) {
      late.delay(LATE_NS);
      TunnelEnd only = rig.on(rig::end);
      rig.on(() -> {
        only.install(late.parameters());
        return null;
      });
      awaitState(rig, only, State.CARRYING);
      TunnelEnds ends = ends(rig, Unmet.REFUSE, only);
      PacketForge.Endpoints ssh = PacketForge.Endpoints.ipv4(40_000, 9, 22); // LT_LD
      rig.on(() -> {
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        packet(ends, PacketForge.tcp(ssh, 7, IpFields.SYN, new byte[0]));
        packet(
            ends, PacketForge.tcp(PacketForge.Endpoints.ipv4(40_001, 9, 22), 7, 0x10, new byte[9]));
        return null;
      });
      assertThat(rig.on(() -> ports(only)))
          .as("in the middle of a connection")
          .containsExactly(40_001);
      assertThat(rig.refusals.of(FlowRefusal.DELAY)).isEqualTo(2);
      assertThat(rig.answered).hasSize(3);
      assertThat(rig.answered.getFirst())
          .as("ICMP, prohibited")
          .startsWith("45c0")
          .contains("030d");
      assertThat(rig.answered.getLast()).as("a reset with an acknowledgement").contains("5014");
      List<DataStatus.RefusedFlow> refused = rig.on(() -> rig.refusals.status(System.nanoTime()));
      assertThat(refused).extracting(DataStatus.RefusedFlow::packets).containsExactly(1L, 2L);
      assertThat(refused.getFirst().why())
          .startsWith("no SNAPT meets class LT_LD at its first packet: ")
          .contains("does not meet the delay of the class");
      assertThat(refused.getFirst().rule())
          .isEqualTo("the configuration says snapts.unmet: refuse");
    }
  }

  @Test
  void aFlowThatHasTheOnlySnaptIsExplainedByWhatIsMeasuredOfIt() throws Exception {
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt there = new MirrorSnapt(TunnelSettings.defaults())) {
      TunnelEnd only = rig.on(rig::end);
      rig.on(() -> {
        only.install(there.parameters());
        only.terms(SnaptTerms.of("north", List.of(0L, 0L, 0L, 2_500_000L)));
        return null;
      });
      awaitState(rig, only, State.CARRYING);
      TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT, only);
      String why =
          rig.on(() -> {
            packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
            return ends.whyPlaced(only, flow(only, 5_000), System.nanoTime());
          });
      assertThat(why)
          .startsWith("it is the only SNAPT in use")
          .contains("its region is north; now " + only.name() + " costs ")
          .contains("(carrying, round trip ");
    }
  }

  @Test
  void whatALineCarriesIsNotSpareAtAnotherOneByTheSameLink() throws Exception {
    TunnelSettings settings = TunnelSettings.defaults();
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt one = new MirrorSnapt(settings);
        MirrorSnapt two = new MirrorSnapt(settings)) {
      TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT);
      TunnelEnd first = rig.on(() -> rig.end(ends));
      TunnelEnd second = rig.on(() -> rig.end(ends));
      rig.on(() -> {
        ends.set(List.of(first, second));
        first.install(one.parameters());
        second.install(two.parameters());
        return null;
      });
      awaitState(rig, first, State.CARRYING);
      awaitState(rig, second, State.CARRYING);
      String why =
          rig.on(() -> {
            assertThat(first.sharesLink(second)).isTrue();
            LineRate rate = LineRate.newBuilder().setBitPerSecond(1_000_000).build();
            // A second of the line waits there.
            first.lineRate(rate.toBuilder().addQueuedBytes(125_000).build());
            second.lineRate(rate);
            ends.stateChanged();
            packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
            TunnelEnd at = ports(first).isEmpty() ? second : first;
            return ((FlowNote) flow(at, 5_000).attachment()).whyPlaced();
          });
      assertThat(why.split("0.0 Mbit/s spare down", -1)).as(why).hasSize(3);
    }
  }

  @Test
  void aLineOfThePolicySaysWhetherItsFlowsAreRefusedWhateverTheOthersAre() throws Exception {
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt late = new MirrorSnapt(TunnelSettings.defaults())) {
      late.delay(LATE_NS);
      TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT);
      TunnelEnd only = rig.on(() -> rig.end(ends));
      rig.on(() -> {
        ends.set(List.of(only));
        only.install(late.parameters());
        packet(ends, PacketForge.udp(voice(4_999), new byte[40])); // nothing is measured yet
        return null;
      });
      awaitState(rig, only, State.CARRYING);
      Policy strict = rig.policy("{classes: [HT_LD], method: lowest-delay, unmet: refuse}");
      rig.on(() -> {
        ends.stateChanged();
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        ends.distribute(strict);
        packet(ends, PacketForge.udp(voice(5_001), new byte[40]));
        packet(ends, PacketForge.udp(PacketForge.Endpoints.ipv4(5_002, 9, 53), new byte[40]));
        ends.distribute(rig.policy());
        packet(ends, PacketForge.udp(voice(5_003), new byte[40]));
        return null;
      });
      assertThat(rig.on(() -> ports(only)))
          .as("5001 is a call, 5002 is not")
          .containsExactlyInAnyOrder(4_999, 5_000, 5_002, 5_003);
      assertThat(rig.refusals.of(FlowRefusal.DELAY)).isEqualTo(1);
      assertThat(rig.on(() -> rig.refusals.status(System.nanoTime())))
          .extracting(DataStatus.RefusedFlow::rule)
          .containsExactly("line 1 of the policy (classes HT_LD) says unmet: refuse");
    }
  }

  @Test
  void aLineCanKeepItsFlowsFromBeingRefused() throws Exception {
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt late = new MirrorSnapt(TunnelSettings.defaults())) {
      late.delay(LATE_NS);
      TunnelEnd only = rig.on(rig::end);
      rig.on(() -> {
        only.install(late.parameters());
        return null;
      });
      awaitState(rig, only, State.CARRYING);
      TunnelEnds ends = ends(rig, Unmet.REFUSE, only);
      Policy mild = rig.policy("{ports: [5004], method: lowest-delay, unmet: best-effort}");
      rig.on(() -> {
        ends.distribute(mild);
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        return null;
      });
      assertThat(rig.on(() -> ports(only))).containsExactly(5_000);
    }
  }

  @Test
  void anEndThatMayRefuseStillTakesTheUdpFlowsThatLivedBeforeItsSnaptHasRestarted()
      throws Exception {
    try (EndRig rig = new EndRig(System::nanoTime);
        MirrorSnapt before = new MirrorSnapt(TunnelSettings.defaults());
        MirrorSnapt late = new MirrorSnapt(TunnelSettings.defaults())) {
      late.delay(LATE_NS);
      TunnelEnds ends = ends(rig, Unmet.REFUSE);
      TunnelEnd only = rig.on(() -> rig.end(ends));
      rig.on(() -> {
        ends.set(List.of(only));
        only.install(before.parameters());
        return null;
      });
      awaitState(rig, only, State.CARRYING);
      rig.on(() -> {
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        only.install(late.parameters());
        return null;
      });
      awaitState(rig, only, State.CARRYING);
      rig.on(() -> {
        ends.stateChanged();
        packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
        packet(ends, PacketForge.udp(PacketForge.Endpoints.ipv4(5_001, 8, 5004), new byte[40]));
        return null;
      });
      assertThat(rig.on(() -> ports(only))).containsExactly(5_000);
      assertThat(rig.refusals.of(FlowRefusal.DELAY)).as("a new one").isEqualTo(1);
    }
  }

  @Test
  void theSocketsOfALostSnaptAreToldAlsoThoseThatOnlyWait() throws Exception {
    try (EndRig rig = new EndRig(System::nanoTime)) {
      int told =
          rig.on(() -> {
            TunnelEnd end = rig.end();
            end.install(EndRig.parameters("snapt-1"));
            TunnelEnds ends = ends(rig, Unmet.BEST_EFFORT, end);
            PacketForge.Endpoints waits = PacketForge.Endpoints.ipv4(40_000, 9, 443);
            packet(ends, PacketForge.tcp(waits, 100, PacketForge.ACK, new byte[50]));
            PacketForge.Endpoints begins = PacketForge.Endpoints.ipv6(40_001, 9, 443);
            packet(ends, PacketForge.tcp(begins, 100, IpFields.SYN, new byte[0]));
            packet(ends, PacketForge.udp(voice(5_000), new byte[40]));
            return end.abandon();
          });
      assertThat(told).isEqualTo(3);
      assertThat(rig.refusals.of(FlowRefusal.SNAPT_LOST)).isEqualTo(3);
      assertThat(rig.answered)
          .as("the sequence that the socket expects, and no acknowledgement")
          .anyMatch(each -> each.contains("01bb9c40" + "0a0b0c0d" + "00000000" + "5004"))
          .as("the acknowledgement of the SYN")
          .anyMatch(each -> each.contains("01bb9c41" + "00000000" + "00000065" + "5014"))
          .as("ICMP that quotes the flow")
          .anyMatch(each -> each.contains("030d") && each.contains("1388138c"));
    }
  }
}
