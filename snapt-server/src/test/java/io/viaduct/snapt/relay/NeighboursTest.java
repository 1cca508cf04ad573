package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.TestTunnel;
import io.viaduct.snapt.metering.RelayOutcome;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.snapt.policy.TestPolicies;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A device behind a neighbour that forwards its datagrams into its own session (ADR 0068), over
/// real sockets. Alice pays, bob is the neighbour.
class NeighboursTest {
  private static final String SNAPT = "198.51.100.1";
  private static final AddressPool POOL =
      new AddressPool(Prefix.of("127.77.0.0/24"), Prefix.of("fd56::/64"));

  @TempDir Path folder;
  private TestOperator operator;
  private TestSnapt snapt;
  private One bob;
  private NeighbourWay way;
  private One alice;
  private final List<AutoCloseable> opened = new ArrayList<>();

  /// A device.
  private record One(TestControl control, TestTunnel tunnel, String poolAddress) {}

  @BeforeEach
  void start() throws Exception {
    operator = new TestOperator(folder.resolve("pki"));
    snapt =
        closing(
            new TestSnapt(
                operator,
                folder,
                2,
                Duration.ofSeconds(30),
                16,
                Duration.ofMinutes(1),
                TestPolicies.withOwn(SNAPT + "/32"),
                0,
                "snapt-1",
                POOL));
    bob = open("bob", snapt.dataAddress);
    way = closing(new NeighbourWay(snapt, bob.tunnel(), SNAPT, bob.poolAddress()));
    alice = open("alice", way.lan());
    await().until(() -> !binding("alice").isEmpty());
  }

  private One open(String account, InetSocketAddress to) throws Exception {
    KeyPair key = Ed25519.generate();
    TestControl control = closing(new TestControl(snapt.controlAddress, operator.trust()));
    control.send(
        control.hello(operator.sign(TestOperator.token(account, key).build()), key).build());
    var welcome = control.next().getWelcome();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
    TestTunnel tunnel = closing(new TestTunnel(welcome, to, any));
    return new One(control, tunnel, POOL.ipv4().address(status(account).slot()));
  }

  private SessionStatus status(String account) throws Exception {
    return snapt.relay.status().get(5, TimeUnit.SECONDS).stream()
        .filter(each -> each.account().equals(account))
        .findFirst()
        .orElseThrow();
  }

  private String binding(String account) throws Exception {
    return status(account).binding();
  }

  private <T extends AutoCloseable> T closing(T made) {
    opened.addFirst(made);
    return made;
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private UsageReport reportOf(One device, String account) {
    device
        .control()
        .send(
            ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("done")).build());
    await().until(() -> snapt.reports.stream().anyMatch(r -> r.getAccount().equals(account)));
    return snapt.reports.stream()
        .filter(each -> each.getAccount().equals(account))
        .findFirst()
        .orElseThrow();
  }

  private static byte[] down(One to) {
    return PacketText.udp("203.0.113.7", 9000, to.poolAddress(), 5000, 'd');
  }

  @Test
  void theReportNamesTheNeighbourWithAllBytesThatWentByItsSession() throws Exception {
    assertThat(binding("alice")).contains(bob.poolAddress());
    for (int i = 0; i < 20; i++) {
      alice.tunnel().send(PacketText.up());
      assertThat(way.internet.poll(5, TimeUnit.SECONDS)).isNotNull();
      snapt.inject(0, down(alice));
      assertThat(alice.tunnel().arrived.poll(5, TimeUnit.SECONDS)).isNotNull();
    }
    UsageReport report = reportOf(alice, "alice");
    assertThat(report.getFlowsList()).singleElement().matches(f -> f.getRemotePort() == 9000);
    assertThat(report.getRelaysList())
        .singleElement()
        .matches(relay -> relay.getAccount().equals("bob"));
    assertThat(report.getRelays(0).getBytes())
        .isEqualTo(report.getPostBytes() + report.getOverheadBytes());
    await().until(() -> way.relayedBytes.get() >= report.getRelays(0).getBytes());
    assertThat(snapt.count(loop -> loop.of(RelayOutcome.NAMED)))
        .isEqualTo(report.getRelays(0).getBytes());
  }

  @Test
  void theNeighbourPaysNothingForWhatItForwardsAndForItsOwnTrafficAsBefore() throws Exception {
    for (int i = 0; i < 20; i++) {
      alice.tunnel().send(PacketText.up());
      assertThat(way.internet.poll(5, TimeUnit.SECONDS)).isNotNull();
    }
    bob.tunnel().send(PacketText.up());
    assertThat(way.internet.poll(5, TimeUnit.SECONDS)).isNotNull();
    long forwarded = way.relayedBytes.get();
    UsageReport report = reportOf(bob, "bob");
    assertThat(report.getFlowsList())
        .singleElement()
        .matches(own -> own.getUp().getPreBytes() == PacketText.up().length);
    assertThat(report.getOverheadBytes()).isGreaterThan(forwarded / 2);
    assertThat(report.getRelaysList()).isEmpty();
  }

  @Test
  void aDeviceThatLeavesTheNeighbourIsNotRelayedAnyMore() throws Exception {
    alice.tunnel().detour(snapt.dataAddress);
    alice.tunnel().move(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
    await().until(() -> !binding("alice").contains(bob.poolAddress()));
    alice.tunnel().send(PacketText.up());
    assertThat(way.internet.poll(5, TimeUnit.SECONDS)).isNotNull();
    UsageReport report = reportOf(alice, "alice");
    assertThat(report.getRelays(0).getBytes())
        .isEqualTo(snapt.count(loop -> loop.of(RelayOutcome.NAMED)))
        .isLessThan(report.getPostBytes() + report.getOverheadBytes());
  }

  @Test
  void aDatagramThatComesOutOfItsOwnSessionIsDropped() throws Exception {
    byte[] own = bob.tunnel().sent.peek();
    way.send(own);
    await().until(() -> snapt.count(loop -> loop.of(Drop.OWN_TUNNEL)) == 1);
    assertThat(binding("bob")).doesNotContain(bob.poolAddress());
  }

  @Test
  void aSessionThatComesByANeighbourRelaysNobody() throws Exception {
    int port = snapt.dataAddress.getPort();
    alice.tunnel().send(PacketText.udp("10.64.0.2", 7000, SNAPT, port, 'u'));
    await().until(() -> snapt.count(loop -> loop.of(EgressRefusal.RELAYED)) == 1);
    snapt.inject(0, PacketText.udp(SNAPT, port, alice.poolAddress(), 7000, 'd'));
    await().until(() -> snapt.count(loop -> loop.of(Drop.RELAYED)) == 1);
  }
}
