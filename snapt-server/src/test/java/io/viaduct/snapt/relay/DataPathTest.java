package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.TestTunnel;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.snapt.policy.EgressRule;
import io.viaduct.snapt.relay.TrafficCounters.Direction;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.UsageReport;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the data path over real sockets, with valid and invalid traffic.
class DataPathTest {

  @TempDir Path folder;
  private TestOperator operator;
  private TestSnapt snapt;
  private TestControl control;
  private TestTunnel tunnel;
  private Welcome welcome;
  private final KeyPair device = io.viaduct.service.tls.Ed25519.generate();

  @BeforeEach
  void sessionIsUp() throws Exception {
    operator = new TestOperator(folder.resolve("pki"));
    snapt = new TestSnapt(operator, folder, 2, Duration.ofSeconds(30));
    open();
  }

  private void open() throws Exception {
    control = new TestControl(snapt.controlAddress, operator.trust());
    control.send(
        control.hello(operator.sign(TestOperator.token("alice", device).build()), device).build());
    welcome = control.next().getWelcome();
    tunnel =
        new TestTunnel(
            welcome,
            snapt.dataAddress,
            new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
    await().until(() -> !snapt.onlySession().binding().isEmpty());
  }

  @AfterEach
  void stop() {
    tunnel.close();
    control.close();
    snapt.close();
  }

  private static byte[] down(String poolAddress) {
    return PacketText.udp("203.0.113.7", 9000, poolAddress, 5000, 'd');
  }

  private String poolAddress() throws Exception {
    return TestSnapt.POOL.ipv4().address(snapt.onlySession().slot());
  }

  private static byte[] comparable(byte[] packet) {
    byte[] same = packet.clone();
    Arrays.fill(same, 4, 6, (byte) 0); // the tunnel may change the IPv4 identification
    Arrays.fill(same, 10, 12, (byte) 0);
    return same;
  }

  private void strike(byte[] datagram) throws Exception {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(new DatagramPacket(datagram, datagram.length, snapt.dataAddress));
    }
  }

  @Test
  void packetsGoBothWaysTranslated() throws Exception {
    tunnel.send(PacketText.up());
    byte[] out = snapt.nextOut();
    assertThat(out).isNotNull();
    assertThat(comparable(out))
        .isEqualTo(comparable(PacketText.udp(poolAddress(), 5000, "203.0.113.7", 9000, 'u')));
    assertThat(PacketText.checksum(Arrays.copyOf(out, 20))).isZero();
    for (int queue = 0; queue < 2; queue++) {
      snapt.inject(queue, down(poolAddress()));
      byte[] in = tunnel.arrived.poll(5, TimeUnit.SECONDS);
      assertThat(in).as("by queue %d", queue).isNotNull();
      assertThat(comparable(in)).isEqualTo(comparable(down("10.64.0.2")));
    }
  }

  @Test
  void whatTheOperatorDeniesIsCountedAndPaidByNobodyAndTheRestGoesOn() throws Exception {
    restart(new EgressPolicy(List.of(), List.of(EgressRule.of("udp 25")), List.of(), true), 0);
    tunnel.send(PacketText.udp("10.64.0.2", 5000, "203.0.113.7", 25, 's'));
    tunnel.send(PacketText.udp("10.64.0.2", 5000, "192.168.0.7", 9000, 's'));
    tunnel.send(PacketText.up());
    assertThat(snapt.nextOut()[28]).isEqualTo((byte) 'u');
    assertThat(snapt.out).isEmpty();
    // The packets belong to different flows, so their order is not defined.
    await().until(() -> snapt.count(loop -> loop.of(EgressRefusal.DENIED)) == 1);
    await().until(() -> snapt.count(loop -> loop.of(EgressRefusal.PRIVATE_NETWORK)) == 1);
    assertThat(snapt.out).isEmpty();
  }

  @Test
  void anAccountAboveItsRateLosesPacketsInBothDirections() throws Exception {
    restart(EgressPolicy.open(), 64_000); // one burst of 256 KiB
    String pool = poolAddress();
    for (int i = 0; i < 1500; i++) {
      tunnel.send(PacketText.up());
      snapt.inject(0, down(pool));
    }
    await().until(() -> snapt.count(loop -> loop.of(EgressRefusal.ACCOUNT_RATE)) > 200);
    await().untilAsserted(() -> assertThat(snapt.out.size()).isBetween(1000, 1200));
    assertThat(tunnel.arrived.size()).isLessThan(1200);
  }

  private void restart(EgressPolicy policy, long accountBitsPerSecond) throws Exception {
    stop();
    snapt =
        new TestSnapt(
            operator,
            folder,
            1,
            Duration.ofSeconds(30),
            16,
            Duration.ofMinutes(1),
            policy,
            accountBitsPerSecond);
    open();
  }

  @Test
  void whatASessionCarriesIsToldForTheCheckpointAndRestIsNot() throws Exception {
    tunnel.send(PacketText.up());
    assertThat(snapt.nextOut()).isNotNull();
    await()
        .until(() ->
            snapt.progress.stream()
                .anyMatch(told ->
                    told.getFlowsCount() == 1
                        && told.getFlows(0).getUp().getPreBytes() == PacketText.up().length));
    await().during(Duration.ofMillis(1_500)).until(() -> snapt.progress.size() < 12);
  }

  /// As in a download that continues after the SNAPT was killed: the first packet that the new
  /// SNAPT sees is from the server.
  @Test
  void aFlowInWhichTheServerSpeaksFirstIsMeteredBothWays() throws Exception {
    snapt.inject(0, down(poolAddress()));
    assertThat(tunnel.arrived.poll(5, TimeUnit.SECONDS)).isNotNull();
    tunnel.send(PacketText.up());
    assertThat(snapt.nextOut()).isNotNull();
    await()
        .until(() ->
            snapt.progress.stream()
                .anyMatch(told ->
                    told.getFlowsCount() == 1
                        && told.getFlows(0).getUp().getPreBytes() == PacketText.up().length
                        && told.getFlows(0).getDown().getPreBytes() == down("10.64.0.2").length));
  }

  @Test
  void aReplayedDatagramChangesNothing() throws Exception {
    tunnel.send(PacketText.up());
    assertThat(snapt.nextOut()).isNotNull();
    List<byte[]> sent = new ArrayList<>(tunnel.sent);
    SessionStatus before = snapt.onlySession();
    for (byte[] datagram : sent) {
      strike(datagram);
    }
    await().until(() -> snapt.count(Verdict.REPLAYED) >= sent.size());
    assertThat(snapt.out).isEmpty();
    assertSame(before, snapt.onlySession());
  }

  @Test
  void anAlteredOrTruncatedDatagramChangesNothing() throws Exception {
    tunnel.send(PacketText.up());
    assertThat(snapt.nextOut()).isNotNull();
    byte[] sent = new ArrayList<>(tunnel.sent).getLast();
    SessionStatus before = snapt.onlySession();
    byte[] altered = sent.clone();
    altered[altered.length - 1] ^= 1;
    altered[6] ^=
        0x10; // another sequence number, because the same one would be refused as a replay
    strike(altered);
    strike(Arrays.copyOf(altered, altered.length - 5));
    strike(Arrays.copyOf(sent, 20));
    strike(new byte[3]);
    byte[] nobody = sent.clone();
    nobody[1] ^= 0x55;
    strike(nobody);
    await()
        .until(() ->
            snapt.count(Verdict.BAD_TAG) == 2
                && snapt.count(Verdict.TOO_SHORT) == 2
                && snapt.count(Verdict.UNKNOWN_RECEIVER) == 1);
    assertThat(snapt.out).isEmpty();
    assertSame(before, snapt.onlySession());
  }

  private static void assertSame(SessionStatus before, SessionStatus after) {
    assertThat(after.binding()).isEqualTo(before.binding());
    assertThat(after.moves()).isEqualTo(before.moves());
    assertThat(after.flows()).hasSameSizeAs(before.flows());
    for (int i = 0; i < before.flows().size(); i++) {
      assertThat(after.flows().get(i).upPreBytes()).isEqualTo(before.flows().get(i).upPreBytes());
    }
  }

  @Test
  void aCapturedDatagramSentFirstFromElsewhereNeverMovesTheBinding() throws Exception {
    // The attacker is faster than the device. Its copy is authentic and new, but its address cannot
    // answer the challenge.
    InetSocketAddress unheard = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
    String before = snapt.onlySession().binding();
    try (DatagramSocket blocked = new DatagramSocket(unheard)) {
      tunnel.detour(new InetSocketAddress(unheard.getAddress(), blocked.getLocalPort()));
      tunnel.send(PacketText.up());
      byte[] captured = new byte[2048];
      DatagramPacket caught = new DatagramPacket(captured, captured.length);
      blocked.receive(caught);
      strike(Arrays.copyOf(captured, caught.getLength()));
    }
    assertThat(snapt.nextOut()).as("the packet itself is authentic").isNotNull();
    assertThat(snapt.onlySession().binding()).isEqualTo(before);
    assertThat(snapt.onlySession().moves()).isZero();
  }

  private InetSocketAddress otherAddressOfTheSnapt() {
    return new InetSocketAddress("127.0.0.8", snapt.dataAddress.getPort());
  }

  @Test
  void aCapturedStreamSentFirstToAnotherAddressOfTheSnaptDivertsNoAnswer() throws Exception {
    // The attacker is faster than the device, and its copies have the device's source. The NAT
    // takes nothing from an address that the device has not sent to.
    tunnel.letIn(snapt.dataAddress);
    tunnel.detour(otherAddressOfTheSnapt());
    for (int i = 0; i < 20; i++) {
      tunnel.send(PacketText.up());
      assertThat(snapt.nextOut()).as("the packet itself is authentic").isNotNull();
      snapt.inject(0, down(poolAddress()));
      assertThat(tunnel.arrived.poll(5, TimeUnit.SECONDS)).as("answer %d", i).isNotNull();
    }
    assertThat(snapt.onlySession().moves()).isZero();
  }

  @Test
  void answersFollowADeviceThatSendsToAnotherAddressOfTheSnaptAndIsHeardThere() throws Exception {
    tunnel.detour(otherAddressOfTheSnapt());
    await().until(() -> snapt.onlySession().moves() == 1);
    tunnel.letIn(otherAddressOfTheSnapt());
    snapt.inject(0, down(poolAddress()));
    assertThat(tunnel.arrived.poll(5, TimeUnit.SECONDS)).isNotNull();
  }

  @Test
  void theBindingFollowsADeviceThatAnswersTheChallenge() throws Exception {
    String before = snapt.onlySession().binding();
    tunnel.move(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
    await().until(() -> snapt.onlySession().moves() == 1);
    assertThat(snapt.onlySession().binding())
        .isNotEqualTo(before)
        .endsWith(" " + tunnel.localAddress().getPort());
    snapt.inject(0, down(poolAddress()));
    assertThat(tunnel.arrived.poll(5, TimeUnit.SECONDS)).isNotNull();
  }

  @Test
  void aDeviceThatMovesIsAskedAtOnceWhetherItsControlConnectionLives() throws Exception {
    tunnel.move(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
    assertThat(control.nextKeepAlive()).matches(nudge -> nudge != null && !nudge.getReply());
  }

  @Test
  void aForeignInnerSourceIsDroppedAndCounted() throws Exception {
    tunnel.send(PacketText.packet("10.64.0.9", "203.0.113.7", 17, new byte[40]));
    await().until(() -> snapt.count(loop -> loop.of(Direction.UP, Translated.FOREIGN_SOURCE)) == 1);
    assertThat(snapt.out).isEmpty();
  }

  @Test
  void aPacketToAnAddressWithoutSessionIsDroppedAndCounted() throws Exception {
    snapt.inject(0, down("10.200.0.254"));
    snapt.inject(1, new byte[] {0x45, 0});
    snapt.inject(1, new byte[0]);
    await().until(() -> snapt.count(loop -> loop.of(Direction.DOWN, Translated.NO_SESSION)) == 3);
    assertThat(tunnel.arrived).isEmpty();
  }

  @Test
  void theReportOfAnEndedSessionAddsUpToTheByte() throws Exception {
    tunnel.serviceClass = ServiceClass.HT_LD;
    byte[] packet = PacketText.up();
    for (int i = 0; i < 50; i++) {
      tunnel.send(packet);
      assertThat(snapt.nextOut()).isNotNull();
    }
    for (int i = 0; i < 20; i++) {
      snapt.inject(i % 2, down(poolAddress()));
      assertThat(tunnel.arrived.poll(5, TimeUnit.SECONDS)).isNotNull();
    }
    tunnel.send(
        PacketText.packet("10.64.0.2", "203.0.113.8", 1, new byte[] {8, 0, 0, 0, 0, 9, 0, 1}));
    assertThat(snapt.nextOut()).isNotNull();
    control.send(
        ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("done")).build());
    await().until(() -> snapt.reports.size() == 1);
    UsageReport report = snapt.reports.getFirst();
    assertThat(report.getSessionId()).isEqualTo(welcome.getSessionId());
    assertThat(report.getEpoch()).isEqualTo(7);
    assertThat(report.getSequence()).isZero();
    assertThat(report.getLast()).isTrue();
    assertThat(report.getAccount()).isEqualTo("alice");
    assertThat(report.getIcid()).isEqualTo("icid-alice");
    assertThat(report.getFlowsCount()).isEqualTo(2);
    FlowUsage udp =
        report.getFlowsList().stream().filter(f -> f.getProtocol() == 17).findFirst().orElseThrow();
    assertThat(udp.getUp().getPreBytes()).isEqualTo(50L * packet.length);
    assertThat(udp.getUp().getPackets()).isEqualTo(50);
    assertThat(udp.getDown().getPreBytes()).isEqualTo(20L * packet.length);
    assertThat(udp.getServiceClass()).isEqualTo(io.viaduct.usage.v1.ServiceClass.HT_LD);
    assertThat(udp.getApplication()).isEqualTo("ssh");
    assertThat(udp.getRemoteAddress()).isEqualTo("203.0.113.7");
    assertThat(udp.getRemotePort()).isEqualTo(9000);
    assertThat(udp.getEnded()).isTrue();
    long pre = 0;
    long post = 0;
    for (FlowUsage flow : report.getFlowsList()) {
      pre += flow.getUp().getPreBytes() + flow.getDown().getPreBytes();
      post += flow.getUp().getPostBytes() + flow.getDown().getPostBytes();
      assertThat(flow.getDurationMs()).isPositive();
    }
    assertThat(report.getPreBytes())
        .isEqualTo(pre)
        .isEqualTo(71L * packet.length - (packet.length - 28));
    assertThat(report.getPostBytes()).isEqualTo(post).isPositive();
    assertThat(report.getOverheadBytes()).isPositive();
  }
}
