package io.viaduct.snapt.metering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionCarrier;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.PeerFlowStats;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Tests the meter with the tunnel's own counters, which the test changes. Time is an argument.
class SessionMeterTest {
  private static final long SECOND = 1_000_000_000L;
  private final LoopMemory memory = new LoopMemory(ByteBufAllocator.DEFAULT, new SecureRandom());
  private final TunnelSession tunnel =
      new TunnelSession(
          TunnelRole.SNAPT,
          terms(),
          TunnelSettings.defaults(),
          memory,
          FlowListener.SILENT,
          PathListener.SILENT,
          0);
  private final Session session = session();
  private final SessionMeter meter =
      new SessionMeter("snapt-1", 3, 45, session, tunnel.totals(), 1_000_000, 0);

  private static TunnelTerms terms() {
    return new TunnelTerms(
        AeadAlgorithm.AES_256_GCM,
        SessionSecret.draw(new SecureRandom()),
        1,
        new TunnelLimits(1500, 65_536));
  }

  @AfterEach
  void release() {
    tunnel.close();
    memory.close();
  }

  static Session session() {
    SessionCarrier nobody =
        new SessionCarrier() {
          @Override
          public int loops() {
            return 1;
          }

          @Override
          public void carry(Session session) {}

          @Override
          public void onceCarried(Session session, Runnable then) {
            then.run();
          }

          @Override
          public void control(Session session, ControlLine.Connection connection) {}

          @Override
          public void datagrams(Session session, List<ByteBuf> datagrams, Runnable taken) {}

          @Override
          public void end(Session session) {}
        };
    SessionRegistry registry =
        new SessionRegistry(
            2,
            Duration.ofMinutes(1),
            new AddressPool(Prefix.of("10.9.0.0/24"), Prefix.of("fd09::/64")),
            nobody,
            () -> false,
            new SecureRandom());
    SessionToken token =
        SessionToken.newBuilder()
            .setAccount("alice")
            .setTokenId("t1")
            .setIcid("i1")
            .setDeviceKey(ByteString.copyFrom(new byte[32]))
            .setExpiresMs(Long.MAX_VALUE)
            .build();
    Session.Terms terms =
        new Session.Terms(
            terms(),
            InnerAddresses.of(new byte[] {10, 64, 0, 2}, new byte[0]),
            List.of("default", "skype-video"),
            "test",
            Set.of(Feature.RECEIPTS),
            null);
    ShownToken shown =
        new ShownToken(
            token, SignedSessionToken.newBuilder().setToken(token.toByteString()).build());
    return ((SessionRegistry.Admission.Admitted) registry.admit(shown, "", 0, terms, 0)).session();
  }

  private FlowState flow(int port) {
    return flow(port, false);
  }

  private FlowState flow(int port, boolean relaying) {
    byte[] packet =
        PacketText.packet(
            "203.0.113.7",
            "10.64.0.2",
            17,
            new byte[] {0x23, 0x28, (byte) (port >>> 8), (byte) port, 0, 8, 0, 0});
    ByteBuf buffer = PacketText.buffer(packet, 0);
    FlowKey key = new FlowKey();
    key.parse(new IpPacket().set(buffer, 0, packet.length));
    FlowState flow = tunnel.flows().lookup(key, 0);
    buffer.release();
    flow.classify(ServiceClass.HT_LD, 1);
    meter.onOpened(flow, relaying);
    return flow;
  }

  // Returns a flow that the device opens with a given id.
  private FlowState opened(int id, int port) {
    byte[] packet =
        PacketText.packet(
            "10.64.0.2", "203.0.113.7", 17, new byte[] {0, (byte) port, 0x23, 0x28, 0, 8, 0, 0});
    ByteBuf buffer = PacketText.buffer(packet, 0);
    FlowKey key = new FlowKey();
    key.parse(new IpPacket().set(buffer, 0, packet.length));
    FlowState flow = tunnel.flows().opened(id, key, true, 0);
    buffer.release();
    meter.onOpened(flow, false);
    return flow;
  }

  private static void up(FlowState flow, int packets, int bytes, long delayUs) {
    for (int i = 0; i < packets; i++) {
      flow.received().packets(1, bytes, 0);
      flow.received().outer(bytes / 2);
      flow.received().delay(delayUs);
    }
  }

  private UsageReport close(int second) {
    return meter
        .close(1_000_000 + second * 1_000L, second * SECOND, MeasuredPath.UNKNOWN, false)
        .report();
  }

  @Test
  void aFlowIsReportedWithTheLinkThatCarriedMostOfItsBytesInTheInterval() {
    FlowState flow = flow(1);
    up(flow, 1, 1_000, 40_000);
    flow.link().carried("wlan0", 200);
    flow.link().carried("rmnet0", 190);
    assertThat(close(5).getFlows(0).getLink()).isEqualTo("wlan0");
    up(flow, 1, 1_000, 40_000);
    flow.link().carried("rmnet0", 100);
    assertThat(close(10).getFlows(0).getLink()).as("of this interval").isEqualTo("rmnet0");
    up(flow, 1, 1_000, 40_000);
    flow.link().carried("", 100);
    assertThat(close(15).getFlows(0).getLink()).as("by the control connection").isEmpty();
  }

  @Test
  void aFlowThatCarriesTheDatagramsOfNeighboursIsOverheadAndHasNoLine() {
    FlowState own = flow(1);
    FlowState relaying = flow(2, true);
    up(own, 1, 1_000, 40_000);
    up(relaying, 10, 1_000, 40_000);
    assertThat(SessionMeter.isRelaying(relaying)).isTrue();
    assertThat(SessionMeter.isRelaying(own)).isFalse();
    List<Long> counted = new ArrayList<>();
    meter.survey(
        new UsageReader() {
          @Override
          public void flow(
              FlowState flow, String application, long bytes, long flowMs, boolean isOpen) {
            counted.add(bytes);
          }

          @Override
          public void flowless(String application, long bytes, long flowMs) {}
        },
        SECOND);
    assertThat(counted.stream().mapToLong(Long::longValue).sum()).isEqualTo(1_000);
    UsageReport report = close(5);
    assertThat(report.getFlowsList()).hasSize(1);
    assertThat(report.getPreBytes()).isEqualTo(1_000);
    assertThat(report.getOverheadBytes()).isEqualTo(5_000);
  }

  @Test
  void relaysAreNamedWithTheirBytesOfTheIntervalAndNotThePayer() {
    assertThat(meter.relayed("bob", 700)).isEqualTo(RelayOutcome.NAMED);
    assertThat(meter.relayed("bob", 300)).isEqualTo(RelayOutcome.NAMED);
    assertThat(meter.relayed("carol", 5)).isEqualTo(RelayOutcome.NAMED);
    assertThat(meter.relayed("alice", 5)).isEqualTo(RelayOutcome.OWN_ACCOUNT);
    assertThat(close(5).getRelaysList().stream().map(r -> r.getAccount() + r.getBytes()))
        .containsExactly("bob1000", "carol5");
    assertThat(close(10).getRelaysList()).isEmpty();
  }

  @Test
  void aReportNamesEightRelaysAndNoMore() {
    for (int i = 0; i < 8; i++) {
      assertThat(meter.relayed("bob-" + i, 1)).isEqualTo(RelayOutcome.NAMED);
    }
    assertThat(meter.relayed("bob-8", 1)).isEqualTo(RelayOutcome.TOO_MANY);
    assertThat(close(5).getRelaysCount()).isEqualTo(8);
  }

  @Test
  void intervalsDivideTheCountersWithoutRemainder() {
    FlowState flow = flow(1);
    up(flow, 10, 1_000, 40_000);
    UsageReport first = close(5);
    up(flow, 4, 500, 40_000);
    flow.sent().packets(3, 900, 0);
    flow.sent().outer(300);
    UsageReport second = close(10);
    assertThat(first.getSequence()).isZero();
    assertThat(second.getSequence()).isEqualTo(1);
    assertThat(first.getPreBytes()).isEqualTo(10_000);
    assertThat(first.getPostBytes()).isEqualTo(5_000);
    assertThat(second.getPreBytes()).isEqualTo(2_900);
    assertThat(second.getPostBytes()).isEqualTo(1_300);
    assertThat(second.getStartMs()).isEqualTo(first.getEndMs());
    assertThat(second.getFlows(0).getApplication()).isEqualTo("skype-video");
    assertThat(second.getFlows(0).getDurationMs()).isEqualTo(5_000);
    assertThat(close(15).getFlowsList()).as("a flow that carried nothing is left out").isEmpty();
    assertThat(close(20).getSequence()).as("an empty interval counts").isEqualTo(3);
  }

  @Test
  void anIntervalOfVeryManyFlowsIsReportedInPartsThatAddUpAndTheNextFollowsThem() {
    int flows = 2 * ReportParts.LINES_MAX + 1;
    for (int i = flows; i > 0; i--) {
      up(flow(i), 1, i, 40_000);
    }
    meter.relayed("bob", 1_000_000);
    UsageReport whole = close(5);
    List<UsageReport> parts = ReportParts.of(whole);
    assertThat(parts).extracting(UsageReport::getSequence).containsExactly(0L, 1L, 2L);
    assertThat(parts)
        .allSatisfy(part -> {
          assertThat(part.getFlowsCount()).isLessThanOrEqualTo(ReportParts.LINES_MAX);
          assertThat(part.getStartMs()).isEqualTo(whole.getStartMs());
          assertThat(part.getEndMs()).isEqualTo(whole.getEndMs());
          assertThat(ReportParts.sum(part.toBuilder())).isEqualTo(part);
        });
    assertThat(parts.getFirst().getRelays(0).getAccount()).isEqualTo("bob");
    assertThat(
            parts.stream()
                .flatMap(part -> part.getRelaysList().stream())
                .mapToLong(relay -> relay.getBytes())
                .sum())
        .as("less one byte a part for the rounding")
        .isBetween(999_997L, 1_000_000L);
    assertThat(parts.stream().mapToLong(UsageReport::getPreBytes).sum())
        .isEqualTo(whole.getPreBytes());
    assertThat(parts.stream().mapToLong(UsageReport::getOverheadBytes).sum())
        .isEqualTo(whole.getOverheadBytes());
    assertThat(parts.stream().flatMap(part -> part.getFlowsList().stream()))
        .containsExactlyInAnyOrderElementsOf(whole.getFlowsList());
    assertThat(close(10).getSequence()).isEqualTo(3);
  }

  @Test
  void onlyTheFinalPartIsTheLastReportOfTheSession() {
    UsageReport.Builder whole = UsageReport.newBuilder().setLast(true).setOverheadBytes(7);
    for (int i = 0; i <= ReportParts.LINES_MAX; i++) {
      whole.addFlows(FlowUsage.newBuilder().setFlow(i));
    }
    assertThat(ReportParts.of(whole.build()))
        .extracting(UsageReport::getLast)
        .containsExactly(false, true);
  }

  @Test
  void theLongestPartFindsRoomInAMessageToTheBridge() {
    DirectionUsage much =
        DirectionUsage.newBuilder()
            .setPreBytes(Long.MAX_VALUE)
            .setPostBytes(Long.MAX_VALUE)
            .setPackets(Long.MAX_VALUE)
            .setLostPackets(Long.MAX_VALUE)
            .build();
    FlowUsage line =
        FlowUsage.newBuilder()
            .setFlow(1 << 28)
            .setServiceClassValue(4)
            .setApplication("a".repeat(40))
            .setProtocol(255)
            .setRemoteAddress("2001:db8:1111:2222:3333:4444:5555:6666")
            .setRemotePort(65_535)
            .setUp(much)
            .setDown(much)
            .setDurationMs(300_000)
            .setDelayMs(Math.PI)
            .setDelayErrorMs(Math.PI)
            .setJitterMs(Math.PI)
            .setDelaySource(DelaySource.MEASURED)
            .setEnded(true)
            .build();
    UsageReport.Builder report = UsageReport.newBuilder();
    for (int i = 0; i < ReportParts.LINES_MAX; i++) {
      report.addFlows(line);
    }
    assertThat(report.build().getSerializedSize()).isLessThan((1 << 20) - 4096);
  }

  @Test
  void whatIsReportedSoFarChangesNothing() {
    FlowState flow = flow(1);
    up(flow, 10, 1_000, 40_000);
    UsageReport once = meter.soFar(SECOND, MeasuredPath.UNKNOWN);
    assertThat(meter.soFar(SECOND, MeasuredPath.UNKNOWN)).isEqualTo(once);
    assertThat(close(5).getPreBytes()).isEqualTo(once.getPreBytes());
  }

  @Test
  void delayIsTheMeanOfBothDirectionsWeightedByPacketsWaitIncluded() {
    FlowState flow = flow(1);
    up(flow, 30, 100, 50_000);
    flow.sent().packets(10, 1_000, 10 * 20_000);
    flow.peer(new PeerFlowStats(30, 3_000, 30 * 2_000, 10, 1_000, 10, 10 * 70_000, 0, SECOND));
    FlowUsage usage = close(5).getFlows(0);
    assertThat(usage.getDelaySource()).isEqualTo(DelaySource.MEASURED);
    assertThat(usage.getDelayMs())
        .isCloseTo((30 * (50.0 + 2.0) + 10 * (70.0 + 20.0)) / 40, within(1e-9));
  }

  @Test
  void anUnmeasuredDelayIsTheLastGoodOneThenHalfTheRoundTripThenMissing() {
    FlowState flow = flow(1);
    up(flow, 1, 100, 50_000);
    close(5);
    for (int interval = 2; interval <= 4; interval++) {
      flow.received().packets(1, 100, 0);
      FlowUsage usage = close(5 * interval).getFlows(0);
      assertThat(usage.getDelaySource()).isEqualTo(DelaySource.LAST_GOOD);
      assertThat(usage.getDelayMs()).isEqualTo(50);
    }
    flow.received().packets(1, 100, 0);
    FlowUsage halfRoundTrip =
        meter
            .close(
                1_025_000,
                25 * SECOND,
                new MeasuredPath(80_000, Double.NaN, 20_000, DirectionOffer.NONE, null),
                false)
            .report()
            .getFlows(0);
    assertThat(halfRoundTrip.getDelaySource()).isEqualTo(DelaySource.HALF_CONTROL_RTT);
    assertThat(halfRoundTrip.getDelayMs()).isEqualTo(40);
    assertThat(halfRoundTrip.getDelayErrorMs()).isEqualTo(40);
    flow.received().packets(1, 100, 0);
    assertThat(close(30).getFlows(0).getDelaySource()).isEqualTo(DelaySource.MISSING);
  }

  @Test
  void aMeasuredDelayHasTheErrorOfTheClocksAlsoWhenALaterIntervalTakesIt() {
    FlowState flow = flow(1);
    up(flow, 1, 100, 50_000);
    FlowUsage measured =
        meter
            .close(
                1_005_000,
                5 * SECOND,
                new MeasuredPath(80_000, Double.NaN, 20_000, DirectionOffer.NONE, null),
                false)
            .report()
            .getFlows(0);
    assertThat(measured.getDelayErrorMs()).isEqualTo(20);
    flow.received().packets(1, 100, 0);
    FlowUsage later =
        meter
            .close(
                1_010_000,
                10 * SECOND,
                new MeasuredPath(80_000, Double.NaN, 30_000, DirectionOffer.NONE, null),
                false)
            .report()
            .getFlows(0);
    assertThat(later.getDelaySource()).isEqualTo(DelaySource.LAST_GOOD);
    assertThat(later.getDelayErrorMs()).isEqualTo(20);
    up(flow, 1, 100, 50_000);
    assertThat(close(15).getFlows(0).hasDelayErrorMs()).as("no probe was answered").isFalse();
  }

  private FlowUsage closeWith(int second, double spareBytes, long waitedNs) {
    return closeWith(second, new DirectionOffer(spareBytes, _ -> waitedNs), null);
  }

  private FlowUsage closeWith(int second, DirectionOffer down, @Nullable DirectionOffer up) {
    MeasuredPath path = new MeasuredPath(80_000, Double.NaN, 20_000, down, up);
    return meter
        .close(1_000_000 + second * 1_000L, second * SECOND, path, false)
        .report()
        .getFlows(0);
  }

  @Test
  void aFlowTowardsTheDeviceReportsItsWaitAndWhatThePathHadLeft() {
    FlowState flow = flow(1);
    flow.sent().packets(10, 10_000, 0);
    FlowUsage first = closeWith(10, 1_000_000, 4 * SECOND);
    assertThat(first.getBusy()).isEqualTo(0.4);
    assertThat(first.getSpareKbitPerSecond()).as("8 Mbit in 6 s").isCloseTo(1333.3, within(0.1));
    flow.sent().packets(10, 10_000, 0);
    FlowUsage second = closeWith(20, 1_500_000, 14 * SECOND);
    assertThat(second.getBusy()).isEqualTo(1);
    assertThat(second.getSpareKbitPerSecond()).isZero();
  }

  @Test
  void aFlowThatMostlyComesFromTheDeviceReportsTheWaitThatTheDeviceTells() {
    FlowState flow = flow(1);
    var down = new DirectionOffer(9_000_000, _ -> 9 * SECOND);
    up(flow, 10, 1_000, 50_000);
    FlowUsage first =
        closeWith(10, down, new DirectionOffer(500_000, each -> each.peerWaitedUs() * 1000));
    assertThat(first.getBusy()).isZero();
    assertThat(first.getSpareKbitPerSecond()).as("4 Mbit in 10 s").isCloseTo(400, within(0.1));
    flow.peerWaitedUs(2_500_000);
    flow.peerWaitedUs(2_000_000); // an older record, late
    up(flow, 10, 1_000, 50_000);
    FlowUsage second =
        closeWith(20, down, new DirectionOffer(300_000, each -> each.peerWaitedUs() * 1000));
    assertThat(second.getBusy()).isEqualTo(0.25);
    assertThat(second.getSpareKbitPerSecond()).as("2.4 Mbit in 7.5 s").isCloseTo(320, within(0.1));
  }

  @Test
  void aFlowThatMostlyComesFromADeviceThatTellsNoWaitReportsNoOffer() {
    FlowState flow = flow(1);
    up(flow, 10, 1_000, 50_000);
    flow.sent().packets(1, 100, 0);
    FlowUsage usage = closeWith(10, 1_000_000, SECOND);
    assertThat(usage.hasBusy()).isFalse();
    assertThat(usage.hasSpareKbitPerSecond()).isFalse();
  }

  @Test
  void aSlightlyNegativeDelayIsZeroAndAGrossOneWasNotMeasured() {
    FlowState slight = flow(1);
    up(slight, 2, 100, -4_000);
    FlowState gross = flow(2);
    up(gross, 2, 100, -6_000);
    UsageReport report = close(5);
    assertThat(report.getFlows(0).getDelayMs()).isZero();
    assertThat(report.getFlows(0).getDelaySource()).isEqualTo(DelaySource.MEASURED);
    assertThat(report.getFlows(1).getDelaySource()).isEqualTo(DelaySource.MISSING);
  }

  private FlowUsage closeMeasured(int second, double ownRoundTripMs, DirectionOffer up) {
    MeasuredPath path =
        new MeasuredPath(80_000, ownRoundTripMs * 1000, 40_000, DirectionOffer.NONE, up);
    return meter
        .close(1_000_000 + second * 1_000L, second * SECOND, path, false)
        .report()
        .getFlows(0);
  }

  @Test
  void aDeviceCannotClaimALongerDelayThanTheRoundTripThatTheSnaptHasMeasured() {
    FlowState flow = flow(1);
    for (String lie : List.of("up", "down")) {
      long upUs = lie.equals("up") ? 1_200_000 : 20_000;
      long downUs = lie.equals("down") ? 1_200_000 : 20_000;
      int second = lie.equals("up") ? 5 : 10;
      up(flow, 10, 100, upUs);
      flow.sent().packets(10, 1_000, 0);
      long all = second / 5 * 10L;
      long sumUs = flow.peer().delaySumUs() + 10 * downUs;
      flow.peer(new PeerFlowStats(all, all * 100, 0, all, all * 100, all, sumUs, 0, SECOND));
      assertThat(closeMeasured(second, 50, DirectionOffer.NONE).getDelayMs())
          .as(lie)
          .isCloseTo((20 + 50 + 25 + 5) / 2.0, within(1e-9));
    }
    up(flow, 10, 100, 1_200_000);
    assertThat(closeMeasured(15, 0, DirectionOffer.NONE).getDelayMs())
        .as("a device that answers nothing is not believed")
        .isEqualTo(5);
  }

  @Test
  void aDeviceCannotClaimAWaitWithoutABusyFlow() {
    FlowState flow = flow(1);
    var told = new DirectionOffer(0, each -> each.peerWaitedUs() * 1000, 0, 0);
    up(flow, 10, 100, 20_000);
    flow.peer(new PeerFlowStats(10, 1_000, 10 * 900_000, 0, 0, 0, 0, 0, SECOND));
    assertThat(closeMeasured(5, 50, told).getDelayMs()).isEqualTo(20 + 50);
    up(flow, 10, 100, 20_000);
    flow.peerWaitedUs(5_000_000);
    flow.peer(new PeerFlowStats(20, 2_000, 20 * 900_000, 0, 0, 0, 0, 0, SECOND));
    FlowUsage busy = closeMeasured(10, 50, told);
    assertThat(busy.getDelayMs()).isEqualTo(20 + 50 + 200);
    assertThat(busy.getBusy()).as("then its price is the highest").isEqualTo(1);
  }

  @Test
  void aFlowThatFillsThePathIsBusyWhateverTheDeviceSays() {
    FlowState flow = flow(1);
    up(flow, 10, 1_000, 50_000); // 5000 outer bytes
    FlowUsage most =
        closeWith(10, DirectionOffer.NONE, new DirectionOffer(9, _ -> 0, 8 * SECOND, 9_000));
    assertThat(most.getBusy()).isEqualTo(0.8);
    up(flow, 10, 1_000, 50_000);
    FlowUsage little =
        closeWith(20, DirectionOffer.NONE, new DirectionOffer(9, _ -> 0, 8 * SECOND, 11_000));
    assertThat(little.getBusy()).as("others fill it").isZero();
  }

  @Test
  void whatADeviceSaysOfItsWaitDoesNotChangeTheRoomThatItIsOffered() {
    for (int waited = 0; waited < 10; waited++) {
      FlowState flow = flow(waited + 1);
      up(flow, 10, 1_000, 50_000);
      long said = waited * SECOND;
      FlowUsage usage =
          closeWith(
              10 * (waited + 1),
              DirectionOffer.NONE,
              new DirectionOffer(500_000, each -> each == flow ? said : 0, 0, 0));
      assertThat((1 - usage.getBusy()) * usage.getSpareKbitPerSecond())
          .as("waited %d s", waited)
          .isCloseTo(400, within(0.1));
      tunnel.flows().end(flow, FlowEnd.FINISHED, 0);
      meter.onEnded(flow, 0);
    }
  }

  @Test
  void aDeviceCannotClaimMoreLostPacketsThanTheLimitOfItsBytes() {
    FlowState flow = flow(1);
    up(flow, 55, 100, 1_000);
    flow.sent().packets(100, 10_000, 0);
    ticks(1, 1);
    flow.peer(heard(1_000_000, 1, 16 * SECOND / 10));
    ticks(2, 8);
    FlowUsage usage = close(5).getFlows(0);
    assertThat(usage.getDown().getLostPackets()).isEqualTo(45);
    assertThat(usage.getUp().getLostPackets()).isEqualTo(45);
  }

  @Test
  void anIntervalIsAsLongAsItWasWhateverTheWallClockSays() {
    FlowState flow = flow(1);
    long wallMs = 1_000_000;
    long endMs = wallMs;
    for (long stepMs : new long[] {0, 3_600_000, 0, -3_600_000, 0, -3_600_000, 3_600_000, 0}) {
      up(flow, 1, 100, 1_000);
      wallMs += 60_000 + stepMs;
      int minute = (int) meter.sequence() + 1;
      UsageReport report =
          meter.close(wallMs, minute * 60 * SECOND, MeasuredPath.UNKNOWN, false).report();
      assertThat(report.getStartMs()).isEqualTo(endMs);
      assertThat(report.getEndMs() - report.getStartMs()).isEqualTo(60_000);
      assertThat(report.getFlows(0).getDurationMs()).isEqualTo(60_000);
      endMs = wallMs; // the next one begins by the clock as it is now
    }
  }

  @Test
  void whatIsCutOffAnIntervalIsPartOfTheNextOne() {
    FlowState flow = flow(1);
    long nowNs = 0;
    UsageReport report = null;
    for (int i = 0; i < 100; i++) {
      nowNs += SECOND + 900_000;
      up(flow, 1, 100, 1_000);
      report =
          meter.close(1_000_000 + nowNs / 1_000_000, nowNs, MeasuredPath.UNKNOWN, false).report();
    }
    assertThat(report.getEndMs()).isEqualTo(1_000_000 + 100_090);
    for (int i = 0; i < 10; i++) { // none is shorter than 1 ms
      nowNs += 500_000;
      report =
          meter.close(1_000_000 + nowNs / 1_000_000, nowNs, MeasuredPath.UNKNOWN, false).report();
    }
    assertThat(report.getEndMs()).isEqualTo(1_000_000 + 100_100);
    nowNs += SECOND;
    report =
        meter.close(1_000_000 + nowNs / 1_000_000, nowNs, MeasuredPath.UNKNOWN, false).report();
    assertThat(report.getEndMs()).as("what was added is taken back").isEqualTo(1_000_000 + 101_095);
  }

  private void ticks(int from, int to) {
    for (int half = from; half <= to; half++) {
      meter.onTick(half * SECOND / 2);
    }
  }

  private static PeerFlowStats heard(long sent, long received, long atNs) {
    return new PeerFlowStats(sent, sent * 100, 0, received, received * 100, 0, 0, 0, atNs);
  }

  @Test
  void lossIsWhatOneEndSentAndTheOtherDidNotReceive() {
    FlowState flow = flow(1);
    up(flow, 95, 100, 1_000);
    flow.sent().packets(50, 5_000, 0);
    ticks(1, 1);
    flow.peer(heard(100, 40, 6 * SECOND / 10));
    ticks(2, 3);
    assertThat(meter.soFar(SECOND, MeasuredPath.UNKNOWN).getFlows(0).getDown().getLostPackets())
        .as("the rest may be on its way")
        .isZero();
    flow.peer(heard(100, 48, 16 * SECOND / 10));
    ticks(4, 5);
    FlowUsage usage = close(5).getFlows(0);
    assertThat(usage.getUp().getLostPackets()).isEqualTo(5);
    assertThat(usage.getDown().getLostPackets()).isEqualTo(2);
    assertThat(usage.getDown().getPackets()).isEqualTo(48);
    assertThat(close(10).getFlowsList()).isEmpty();
  }

  @Test
  void lossShowsAlsoWhereAFlowIsLookedAtTwentyTimesASecond() {
    FlowState flow = flow(1);
    for (int slice = 1; slice <= 80; slice++) {
      long nowNs = slice * SECOND / 20;
      flow.sent().packets(1, 100, 0);
      flow.touch(nowNs);
      if (slice % 20 == 0) {
        flow.peer(heard(0, slice / 2, nowNs));
      }
      meter.onTick(nowNs);
    }
    FlowUsage usage = close(5).getFlows(0);
    assertThat(usage.getDown().getLostPackets()).isBetween(15L, 30L);
    assertThat(usage.getDown().getPreBytes()).isBetween(5_000L, 6_500L);
  }

  @Test
  void anOldWordOfThePeerMakesNoLossOfWhatWasSentSince() {
    FlowState flow = flow(1);
    flow.sent().packets(10, 1_000, 0);
    ticks(1, 2);
    flow.peer(heard(0, 10, 2 * SECOND));
    ticks(4, 4);
    flow.sent().packets(10, 1_000, 0);
    flow.touch(2 * SECOND);
    ticks(5, 12);
    assertThat(close(7).getFlows(0).getDown().getLostPackets()).isZero();
  }

  @Test
  void theLastWordOnAFlowMakesItsLossExact() {
    FlowState flow = flow(1);
    flow.touch(2 * SECOND);
    up(flow, 90, 100, 1_000);
    flow.sent().packets(50, 5_000, 0);
    ticks(4, 7);
    flow.peer(heard(100, 47, 4 * SECOND));
    meter.onEnded(flow, 4 * SECOND);
    FlowUsage usage = close(5).getFlows(0);
    assertThat(usage.getUp().getLostPackets()).isEqualTo(10);
    assertThat(usage.getDown().getLostPackets()).isEqualTo(3);
    assertThat(usage.getEnded()).isTrue();
  }

  @Test
  void bytesToTheDeviceAreChargedAsTheyArriveThere() {
    FlowState flow = flow(1);
    flow.sent().packets(100, 100_000, 0);
    flow.touch(SECOND / 2);
    ticks(1, 2);
    assertThat(meter.soFar(SECOND, MeasuredPath.UNKNOWN).getPreBytes())
        .as("nothing was told yet")
        .isEqualTo(100_000);
    flow.peer(heardBytes(70_000, 3 * SECOND));
    ticks(6, 6);
    FlowUsage usage = close(5).getFlows(0);
    assertThat(usage.getDown().getPreBytes()).isEqualTo(70_000);
    assertThat(usage.getDown().getPackets() + usage.getDown().getLostPackets()).isEqualTo(100);
    assertThat(close(10).getFlowsList()).isEmpty();
  }

  private static PeerFlowStats heardBytes(long received, long atNs) {
    return new PeerFlowStats(0, 0, 0, received / 1_000, received, 0, 0, 0, atNs);
  }

  @Test
  void lossThatShowsAfterItsIntervalIsTakenFromTheNextAndLateBytesAreCharged() {
    FlowState flow = flow(1);
    flow.sent().packets(100, 100_000, 0);
    flow.touch(4 * SECOND);
    ticks(9, 10);
    assertThat(close(5).getPreBytes()).isEqualTo(100_000);
    flow.peer(heardBytes(70_000, 6 * SECOND));
    ticks(12, 12);
    assertThat(close(10).getPreBytes()).as("30,000 B too much were charged").isZero();
    flow.sent().packets(50, 50_000, 0);
    flow.touch(11 * SECOND);
    ticks(23, 25);
    flow.peer(heardBytes(120_000, 13 * SECOND));
    ticks(26, 26);
    assertThat(close(15).getPreBytes()).isEqualTo(20_000);
    flow.peer(heardBytes(125_000, 16 * SECOND));
    ticks(32, 32);
    assertThat(close(20).getPreBytes()).as("they were only late").isEqualTo(5_000);
  }

  @Test
  void aDeviceThatSaysItReceivedNothingPaysForWhatNoLineLoses() {
    FlowState flow = flow(1);
    flow.sent().packets(100, 100_000, 0);
    flow.touch(SECOND);
    ticks(1, 3);
    flow.peer(heardBytes(0, 3 * SECOND));
    ticks(6, 6);
    assertThat(close(5).getPreBytes()).isEqualTo(55_000);
  }

  @Test
  void packetsOfTheSnaptItselfAreNotChargedWheneverTheyLeave() {
    meter.ownDown(2, 200);
    tunnel.totals().sentFlowless().packets(1, 100, 0);
    tunnel.totals().sentFlowless().outer(150);
    UsageReport first = close(5);
    assertThat(first.getFlowsList()).isEmpty();
    assertThat(first.getOverheadBytes()).isEqualTo(150);
    tunnel.totals().sentFlowless().packets(3, 1_100, 0);
    FlowUsage second = close(10).getFlows(0);
    assertThat(second.getDown().getPreBytes()).isEqualTo(1_000);
    assertThat(second.getDown().getPackets()).isEqualTo(2);
  }

  @Test
  void packetsWithoutFlowAreFlowZeroWithTheirOwnOuterBytes() {
    tunnel.totals().receivedFlowless().packets(1, 1_000, 0);
    tunnel.totals().receivedFlowless().outer(1_070);
    tunnel.totals().sentFlowless().packets(2, 600, 0);
    tunnel.totals().sentFlowless().outer(700);
    UsageReport report = close(5);
    FlowUsage flowless = report.getFlows(0);
    assertThat(flowless.getFlow()).isZero();
    assertThat(flowless.getApplication()).isEqualTo("unclassified");
    assertThat(flowless.getUp().getPostBytes()).isEqualTo(1_070);
    assertThat(flowless.getDown().getPackets()).isEqualTo(2);
    assertThat(report.getPreBytes()).isEqualTo(1_600);
    assertThat(report.getPostBytes()).isEqualTo(1_770);
    assertThat(report.getOverheadBytes()).isZero();
    assertThat(close(10).getFlowsList()).isEmpty();
  }

  @Test
  void aFlowIsAsLongAsItsIntervalWhenTheWallClockIsSetBack() {
    up(flow(5000), 10, 1000, 20_000);
    // A minute has passed, the wall clock shows 55 s.
    UsageReport report =
        meter
            .close(
                1_055_000,
                60_000_000_000L,
                new MeasuredPath(40_000, Double.NaN, 20_000, DirectionOffer.NONE, null),
                false)
            .report();
    assertThat(report.getEndMs() - report.getStartMs()).isEqualTo(60_000);
    assertThat(report.getFlows(0).getDurationMs()).isEqualTo(60_000);
  }

  @Test
  void aRefusedPacketWithoutFlowIsOverheadToo() {
    tunnel.totals().receivedFlowless().packets(1, 1_000, 0);
    tunnel.totals().receivedFlowless().outer(1_070);
    meter.refusedUp(null, 1, 1_000);
    UsageReport report = close(5);
    assertThat(report.getFlowsList()).isEmpty();
    assertThat(report.getOverheadBytes()).isEqualTo(1_070);
    assertThat(close(10).getOverheadBytes()).isZero();
  }

  @Test
  void whatTheTranslationRefusedIsOnNobodysBill() {
    FlowState foreign = flow(1);
    up(foreign, 2, 1_000, 1_000);
    meter.refusedUp(foreign, 2, 2_000);
    FlowState mixed = flow(2);
    up(mixed, 3, 1_000, 1_000);
    meter.refusedUp(mixed, 1, 1_000);
    UsageReport report = close(5);
    assertThat(report.getFlowsList()).hasSize(1);
    assertThat(report.getPreBytes()).isEqualTo(2_000);
    assertThat(report.getFlows(0).getUp().getPackets()).isEqualTo(2);
    assertThat(report.getOverheadBytes()).isEqualTo(1_000);
    up(mixed, 1, 700, 1_000);
    assertThat(close(10).getPreBytes()).isEqualTo(700);
  }

  private @Nullable UsageReport changes(int second) {
    IntervalUsage changes = meter.changes(second * SECOND, MeasuredPath.UNKNOWN);
    return changes == null ? null : changes.report();
  }

  @Test
  void changesAreTheLinesOfTheFlowsThatChangedAndNothingIsSaidOfRest() {
    FlowState one = flow(1);
    FlowState two = flow(2);
    up(one, 1, 100, 1_000);
    up(two, 1, 200, 1_000);
    assertThat(changes(1).getFlowsList()).hasSize(2);
    assertThat(changes(2)).isNull();
    up(two, 1, 200, 1_000);
    UsageReport second = changes(3);
    assertThat(second.getFlowsList()).hasSize(1);
    assertThat(second.getFlows(0).getFlow()).isEqualTo(two.id());
    assertThat(second.getFlows(0).getUp().getPreBytes()).as("of the interval").isEqualTo(400);
    close(5);
    assertThat(changes(6).getFlowsList()).as("an interval is told once").isEmpty();
    assertThat(changes(7)).isNull();
  }

  @Test
  void aFlowHasOneNumberInAllThatIsSaidOfAnInterval() {
    FlowState one = opened(7, 1);
    tunnel.flows().end(one, FlowEnd.FINISHED, 0);
    meter.onEnded(one, 0);
    up(one, 1, 100, 1_000);
    FlowState later = opened(one.id(), 3);
    up(later, 1, 200, 1_000);
    UsageReport first = changes(1);
    assertThat(first.getFlowsList()).extracting(FlowUsage::getFlow).doesNotHaveDuplicates();
    up(later, 1, 200, 1_000);
    UsageReport second = changes(2);
    assertThat(second.getFlows(0).getFlow()).isEqualTo(first.getFlows(1).getFlow());
    assertThat(close(5).getFlowsList())
        .extracting(FlowUsage::getFlow)
        .containsExactly(first.getFlows(0).getFlow(), first.getFlows(1).getFlow());
  }
}
