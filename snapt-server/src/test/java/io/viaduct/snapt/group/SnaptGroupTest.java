package io.viaduct.snapt.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.TestTunnel;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.snapt.group.GroupSettings.Member;
import io.viaduct.snapt.group.GroupSettings.MemberPool;
import io.viaduct.snapt.metering.RelayOutcome;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.snapt.policy.TunnelPorts;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.OutcomeAnswer;
import io.viaduct.usage.v1.OutcomeRequest;
import io.viaduct.usage.v1.ReturnRequest;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SnaptGroupGrpc;
import io.viaduct.usage.v1.SnaptState;
import io.viaduct.usage.v1.TakeOverAnswer;
import io.viaduct.usage.v1.TakeOverRefusal;
import io.viaduct.usage.v1.TakeOverRequest;
import io.viaduct.usage.v1.TakeOverState;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two SNAPTs of one group in one process, over real sockets and TLS; the test is the device.
class SnaptGroupTest {
  private static final String SERVER = "203.0.113.7";

  @TempDir Path folder;
  private TestOperator operator;
  private Detour toFirst;
  private Detour toSecond;
  private One first;
  private One second;
  private final KeyPair device = Ed25519.generate();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<String> numbers = new CopyOnWriteArrayList<>();

  /// A SNAPT and its membership.
  private final class One {
    private final AddressPool pool;
    private final RecordingHost host = new RecordingHost();
    private final TestSnapt snapt;
    private final GroupCounts counts = new GroupCounts();
    private final SnaptGroup group;

    private One(int number, int memberPort) throws Exception {
      String id = "snapt-" + number;
      pool = pool(number);
      Path own = Files.createDirectories(folder.resolve(id));
      snapt =
          new TestSnapt(
              operator,
              own,
              1,
              Duration.ofSeconds(30),
              16,
              Duration.ofMinutes(1),
              EgressPolicy.open(),
              0,
              id,
              pool);
      Member other =
          new Member(
              "snapt-" + (3 - number), "localhost", memberPort, "192.0.2.1", "", share(3 - number));
      group =
          new SnaptGroup(
              new GroupSettings("core", "127.0.0.1", 0, List.of(other)),
              own.resolve("moved"),
              share(number),
              server(id),
              client(id),
              host,
              snapt.registry,
              snapt.control,
              snapt.tokens,
              snapt.relay,
              InstantSource.system(),
              counts);
      snapt.control.drain().movedBy(group.handOvers());
      group.start();
    }

    private void close() {
      snapt.close();
      group.close();
    }
  }

  private static AddressPool pool(int number) {
    return new AddressPool(share(number).ipv4(), share(number).ipv6());
  }

  private static MemberPool share(int number) {
    return new MemberPool(
        Prefix.of("127.20%d.0.0/24".formatted(number)), Prefix.of("fd5%d::/64".formatted(number)));
  }

  private SslContext server(String id) throws Exception {
    return GrpcSslContexts.configure(
            operator.material(id).serverBuilder(ClientAuth.OPTIONAL), SslProvider.JDK)
        .build();
  }

  private SslContext client(String id) throws Exception {
    return GrpcSslContexts.configure(operator.material(id).clientBuilder(), SslProvider.JDK)
        .build();
  }

  @BeforeEach
  void start() throws Exception {
    operator = new TestOperator(folder.resolve("pki"));
    toFirst = new Detour();
    toSecond = new Detour();
    second = new One(2, toFirst.port());
    toSecond.leadTo(second.group.port());
    first = new One(1, toSecond.port());
    toFirst.leadTo(first.group.port());
    first
        .snapt
        .control
        .relays()
        .told(
            List.of(entry(1, SnaptState.SERVING), entry(2, SnaptState.SERVING)), ByteString.EMPTY);
  }

  private static DirectoryEntry entry(int number, SnaptState state) {
    return DirectoryEntry.newBuilder()
        .setSnaptId("snapt-" + number)
        .setHost("localhost")
        .setControlPort(4430 + number)
        .setDataPort(4430 + number)
        .setState(state)
        .build();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    first.close();
    second.close();
    toFirst.close();
    toSecond.close();
  }

  private <T extends AutoCloseable> T closing(T made) {
    opened.add(made);
    return made;
  }

  private TestControl connect(One to) throws Exception {
    TestControl control = closing(new TestControl(to.snapt.controlAddress, operator.trust()));
    control.send(control.hello(token(), device).addFeatures(Feature.MOVES).build());
    return control;
  }

  private ByteString token() {
    return operator.sign(TestOperator.token("alice", device).build());
  }

  private TestTunnel tunnel(Welcome welcome, One to) throws Exception {
    return closing(
        new TestTunnel(
            welcome,
            to.snapt.dataAddress,
            new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0)));
  }

  private static Moved moved(TestControl control) throws Exception {
    ControlMessage message = control.next();
    while (message != null && !message.hasMoved()) {
      message = control.next();
    }
    return message == null ? Moved.getDefaultInstance() : message.getMoved();
  }

  private static String source(byte[] packet) throws Exception {
    byte[] address = new byte[4];
    System.arraycopy(packet, 12, address, 0, 4);
    return InetAddress.getByAddress(address).getHostAddress();
  }

  private static byte[] down(String to) {
    return PacketText.udp(SERVER, 9000, to, 5000, 'd');
  }

  @Test
  void aSessionKeepsItsAddressAtTheOtherSnaptAndGivesItBackInTheEnd() throws Exception {
    TestControl before = connect(first);
    TestTunnel old = tunnel(before.next().getWelcome(), first);
    old.send(PacketText.up());
    String address = source(first.snapt.nextOut());
    assertThat(address).startsWith("127.201.");

    first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    Moved moved = moved(before);
    assertThat(moved.getTo().getSnaptId()).isEqualTo("snapt-2");
    TestControl after = connect(second);
    Welcome welcome = after.next().getWelcome();
    assertThat(welcome.getMovedNumber()).isEqualTo(moved.getNumber()).isPositive();
    first.snapt.inject(0, down(address));
    assertThat(old.arrived.poll(5, TimeUnit.SECONDS)).as("the old one carries").isNotNull();

    TestTunnel fresh = tunnel(welcome, second);
    assertThat(moved(before).getDone()).isTrue();
    assertThat(second.host.routes).containsExactly(address + " here");
    assertThat(first.host.routes).containsExactly(address + " to snapt-2");
    second.snapt.inject(0, down(address));
    byte[] arrived = fresh.arrived.poll(5, TimeUnit.SECONDS);
    assertThat(arrived).as("from the Internet, before any packet of the device").isNotNull();
    fresh.send(PacketText.up());
    assertThat(source(second.snapt.nextOut())).isEqualTo(address);
    before.send(goodbye());
    await().until(() -> first.snapt.registry.size() == 0);
    assertThat(first.snapt.registry.ends().of(SessionEnd.GOODBYE)).isEqualTo(1);
    assertThat(first.counts.moves().of(MoveOutcome.MOVED)).isEqualTo(1);
    assertThat(first.counts.addresses()).isEqualTo(1);

    after.send(goodbye());
    await().until(() -> first.counts.returns().of(ReturnOutcome.TAKEN_BACK) == 1);
    await().until(() -> second.counts.addresses() == 0);
    assertThat(first.host.routes).last().isEqualTo(address + " forgotten");
    first.snapt.control.drain().end();
    Welcome again = connect(first).next().getWelcome();
    assertThat(again.getMovedNumber()).isZero();
    await().until(() -> first.snapt.relay.status().get().size() == 1);
    assertThat(first.pool.ipv4().address(first.snapt.onlySession().slot())).isEqualTo(address);
  }

  /// Connects to a SNAPT that takes a session of the device over.
  private TestControl arrive(One at, long number) throws Exception {
    TestControl control = closing(new TestControl(at.snapt.controlAddress, operator.trust()));
    control.send(
        control.hello(token(), device).addFeatures(Feature.MOVES).setMovedNumber(number).build());
    return control;
  }

  private static long reported(One at, Welcome of) {
    return at.snapt.reports.stream()
        .filter(report -> report.getSessionId().equals(of.getSessionId()))
        .mapToLong(report -> report.getPreBytes())
        .sum();
  }

  @Test
  void aSessionIsTakenOverBesideTheOneThatTheDeviceHasThere() throws Exception {
    TestControl home = connect(second);
    Welcome own = home.next().getWelcome();
    TestTunnel ownTunnel = tunnel(own, second);
    ownTunnel.send(PacketText.up());
    String ownAddress = source(second.snapt.nextOut());
    TestControl before = connect(first);
    Welcome left = before.next().getWelcome();
    TestTunnel old = tunnel(left, first);
    old.send(PacketText.up());
    String address = source(first.snapt.nextOut());

    first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    TestControl after = arrive(second, moved(before).getNumber());
    Welcome welcome = after.next().getWelcome();
    assertThat(welcome.getMovedNumber()).isPositive();
    TestTunnel fresh = tunnel(welcome, second);
    assertThat(moved(before).getDone()).isTrue();
    assertThat(second.snapt.registry.size()).as("both").isEqualTo(2);
    second.snapt.inject(0, down(address));
    assertThat(fresh.arrived.poll(5, TimeUnit.SECONDS)).as("of the moved flow").isNotNull();
    second.snapt.inject(0, down(ownAddress));
    assertThat(ownTunnel.arrived.poll(5, TimeUnit.SECONDS)).as("of the own flow").isNotNull();
    fresh.send(PacketText.up());
    assertThat(source(second.snapt.nextOut())).isEqualTo(address);
    ownTunnel.send(PacketText.up());
    assertThat(source(second.snapt.nextOut())).isEqualTo(ownAddress);

    before.send(goodbye());
    after.send(goodbye());
    await().until(() -> first.counts.returns().of(ReturnOutcome.TAKEN_BACK) == 1);
    assertThat(second.snapt.registry.size()).as("its own one goes on").isEqualTo(1);
    ownTunnel.send(PacketText.up());
    assertThat(source(second.snapt.nextOut())).isEqualTo(ownAddress);
    home.send(goodbye());
    int packet = PacketText.up().length;
    await().until(() -> first.snapt.reports.size() == 1 && second.snapt.reports.size() == 2);
    assertThat(reported(first, left)).isEqualTo(packet);
    assertThat(reported(second, welcome)).as("down, up").isEqualTo(2 * packet);
    assertThat(reported(second, own)).as("up, down, up, up").isEqualTo(4 * packet);
  }

  @Test
  void twoSessionsOfOneDeviceAreTakenOverAtATime() throws Exception {
    TestControl home = connect(second);
    tunnel(home.next().getWelcome(), second).send(PacketText.up());
    final String ownAddress = source(second.snapt.nextOut());
    TestControl before = connect(first);
    tunnel(before.next().getWelcome(), first).send(PacketText.up());
    final String address = source(first.snapt.nextOut());
    first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    TestControl moved = arrive(second, moved(before).getNumber());
    tunnel(moved.next().getWelcome(), second);
    assertThat(moved(before).getDone()).isTrue();
    before.send(goodbye());
    await().until(() -> first.snapt.registry.size() == 0);
    first.snapt.control.drain().end();

    second.snapt.control.relays().told(List.of(entry(1, SnaptState.SERVING)), ByteString.EMPTY);
    second.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    long number = moved(moved).getNumber();
    long ownNumber = moved(home).getNumber();
    Welcome ownWelcome = arrive(first, ownNumber).next().getWelcome();
    Welcome welcome = arrive(first, number).next().getWelcome();
    assertThat(ownWelcome.getMovedNumber()).isEqualTo(ownNumber);
    assertThat(welcome.getMovedNumber()).isEqualTo(number);
    tunnel(ownWelcome, first).send(PacketText.up());
    assertThat(source(first.snapt.nextOut())).isEqualTo(ownAddress);
    tunnel(welcome, first).send(PacketText.up());
    assertThat(source(first.snapt.nextOut())).isEqualTo(address);
    assertThat(moved(home).getDone()).isTrue();
    assertThat(moved(moved).getDone()).isTrue();
  }

  @Test
  void aDeviceThatComesTooLateDoesNotLoseTheSessionThatItHasThere() throws Exception {
    TestTunnel own = tunnel(connect(second).next().getWelcome(), second);
    assertThat(arrive(second, 7).next().getRefusal().getCode())
        .isEqualTo(RefusalCode.SESSION_ACCOUNT_MISMATCH);
    own.send(PacketText.up());
    assertThat(second.snapt.nextOut()).isNotNull();
    assertThat(second.snapt.registry.size()).isEqualTo(1);
  }

  private TestTunnel open(One at, String account, InetAddress from) throws Exception {
    KeyPair key = Ed25519.generate();
    TestControl control = closing(new TestControl(at.snapt.controlAddress, operator.trust()));
    control.send(
        control.hello(operator.sign(TestOperator.token(account, key).build()), key).build());
    return closing(
        new TestTunnel(
            control.next().getWelcome(), at.snapt.dataAddress, new InetSocketAddress(from, 0)));
  }

  /// The network routes the pools, so a datagram that comes out of a session of the second SNAPT
  /// has its address of that pool at the first one.
  @Test
  void aNeighbourWithASessionAtAnotherMemberIsNamed() throws Exception {
    TestTunnel bob = open(second, "bob", InetAddress.getByName("127.0.0.1"));
    bob.send(PacketText.up());
    InetAddress atSecond = InetAddress.getByName(source(second.snapt.nextOut()));
    TestTunnel alice = open(first, "alice", atSecond);
    await()
        .until(() -> {
          alice.send(PacketText.up());
          return first.snapt.count(loop -> loop.of(RelayOutcome.NAMED)) > 0;
        });
    await()
        .until(() ->
            first.snapt.progress.stream()
                .flatMap(report -> report.getRelaysList().stream())
                .anyMatch(relay -> relay.getAccount().equals("bob")));
  }

  @Test
  void theTunnelsOfTheOtherMembersAreKnownFromTheDirectoryAndForAnHourAfterTheyHaveLeftIt()
      throws Exception {
    first
        .snapt
        .control
        .relays()
        .told(
            List.of(entry(2, SnaptState.DRAINING).toBuilder().setHost("192.0.2.77").build()),
            ByteString.EMPTY);
    BlockingQueue<List<TunnelPorts.Member>> found = new LinkedBlockingQueue<>();
    GroupSettings settings =
        new GroupSettings(
            "core",
            "127.0.0.1",
            0,
            List.of(new Member("snapt-2", "localhost", 1, "192.0.2.1", "", share(2))));
    AtomicLong nowNs = new AtomicLong();
    MemberTunnels tunnels =
        closing(new MemberTunnels(settings, first.snapt.control, found::add, nowNs::get));
    TunnelPorts.Member member = new TunnelPorts.Member(List.of(Prefix.of("192.0.2.77/32")), 4432);
    tunnels.look();
    assertThat(found.poll(5, TimeUnit.SECONDS)).containsExactly(member);
    first.snapt.control.relays().told(List.of(entry(3, SnaptState.SERVING)), ByteString.EMPTY);
    nowNs.addAndGet(MemberTunnels.KEPT.toNanos());
    tunnels.look();
    assertThat(found.poll(5, TimeUnit.SECONDS)).containsExactly(member);
    nowNs.addAndGet(1);
    tunnels.look();
    assertThat(found.poll(5, TimeUnit.SECONDS)).isEmpty();
  }

  private static ControlMessage goodbye() {
    return ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("moved")).build();
  }

  @Test
  void aSessionWhoseDeviceDoesNotComeGoesOnWhereItIs() throws Exception {
    TestControl before = connect(first);
    TestTunnel old = tunnel(before.next().getWelcome(), first);
    old.send(PacketText.up());
    String address = source(first.snapt.nextOut());
    first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    long number = moved(before).getNumber();
    assertThat(moved(before).getNumber()).as("the next attempt").isGreaterThan(number);
    assertThat(second.counts.refusals().of(TakeOverRefusal.DEVICE_AWAY)).isPositive();
    first.snapt.inject(0, down(address));
    assertThat(old.arrived.poll(5, TimeUnit.SECONDS)).isNotNull();
    assertThat(first.snapt.registry.size()).isEqualTo(1);
    assertThat(first.host.routes).isEmpty();
    assertThat(first.counts.moves().of(MoveOutcome.REFUSED)).isEqualTo(1);
  }

  @Test
  void theSessionOfADeviceThatIsAwayStaysBehindTheDeadlineAndMovesWhenItIsBack() throws Exception {
    TestControl before = connect(first);
    Welcome welcome = before.next().getWelcome();
    before.close();
    TestControl withoutMoves =
        closing(new TestControl(first.snapt.controlAddress, operator.trust()));
    KeyPair other = Ed25519.generate();
    withoutMoves.send(
        withoutMoves.hello(operator.sign(TestOperator.token("bob", other).build()), other).build());
    assertThat(withoutMoves.next().hasWelcome()).isTrue();
    first.snapt.control.drain().begin(1);
    assertThat(withoutMoves.next().getGoodbye().getReason())
        .as("one that cannot be handed over ends")
        .isEqualTo("DRAINED");
    TestControl again = closing(new TestControl(first.snapt.controlAddress, operator.trust()));
    again.send(
        again
            .hello(token(), device)
            .addFeatures(Feature.MOVES)
            .setResumeSessionId(welcome.getSessionId())
            .build());
    assertThat(again.next().getWelcome().getResumed()).isTrue();
    assertThat(moved(again).getTo().getSnaptId()).isEqualTo("snapt-2");
  }

  @Test
  void aDeviceThatDoesNotKnowHandOversLosesItsSessionAtTheDeadline() throws Exception {
    TestControl control = closing(new TestControl(first.snapt.controlAddress, operator.trust()));
    control.send(control.hello(token(), device).build());
    assertThat(control.next().hasWelcome()).isTrue();
    first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    await().until(() -> first.snapt.registry.ends().of(SessionEnd.DRAINED) == 1);
    assertThat(second.counts.answers().of(TakeOverState.PREPARED)).isZero();
  }

  @Test
  void aHostThatRefusesTheRouteLeavesTheSessionWhereItWas() throws Exception {
    TestControl before = connect(first);
    TestTunnel old = tunnel(before.next().getWelcome(), first);
    second.host.refuses = true;
    first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    moved(before);
    tunnel(connect(second).next().getWelcome(), second);
    await().until(() -> second.snapt.registry.ends().of(SessionEnd.NOT_TAKEN_OVER) == 1);
    assertThat(second.counts.refusals().of(TakeOverRefusal.ROUTE_FAILED)).isEqualTo(1);
    assertThat(first.snapt.registry.size()).isEqualTo(1);
    old.send(PacketText.up());
    assertThat(first.snapt.nextOut()).isNotNull();
  }

  private ManagedChannel channel(String caller) throws Exception {
    return NettyChannelBuilder.forAddress("localhost", second.group.port())
        .sslContext(client(caller))
        .build();
  }

  private TakeOverAnswer ask(String caller, TakeOverRequest request) throws Exception {
    ManagedChannel channel = channel(caller);
    try {
      return SnaptGroupGrpc.newBlockingStub(channel).takeOver(request).next();
    } finally {
      channel.shutdownNow();
    }
  }

  private TakeOverRequest.Builder request() throws Exception {
    return TakeOverRequest.newBuilder()
        .setGroup("core")
        .setNumber(1)
        .setToken(SignedSessionToken.parseFrom(token()))
        .setAddress(TakeOverMessage.of(PublicAddress.of("127.201.0.9", "fd51::9")))
        .setInnerIpv4(ByteString.copyFrom(new byte[] {10, 64, 0, 2}))
        .setInnerIpv6(ByteString.copyFrom(InetAddress.getByName("fdaa::2").getAddress()));
  }

  @Test
  void aStrangerIsRefusedBeforeItsRequestIsRead() {
    assertThatThrownBy(() -> ask("snapt-3", request().build()))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining("'snapt-3', which is no member of the group core");
    assertThat(second.counts.strangers()).isEqualTo(1);
    assertThat(second.snapt.registry.arrivals().waiting()).isZero();
  }

  private void refused(TakeOverRefusal why, TakeOverRequest.Builder request) throws Exception {
    TakeOverAnswer answer = ask("snapt-1", request.build());
    assertThat(answer.getState()).isEqualTo(TakeOverState.REFUSED);
    assertThat(answer.getRefusal()).as(answer.getDetail()).isEqualTo(why);
    assertThat(second.counts.refusals().of(why)).isPositive();
  }

  @Test
  void eachWrongRequestIsRefusedWithItsReason() throws Exception {
    refused(TakeOverRefusal.OTHER_GROUP, request().setGroup("edge"));
    refused(TakeOverRefusal.MALFORMED, request().setInnerIpv4(ByteString.copyFrom(new byte[3])));
    refused(TakeOverRefusal.MALFORMED, request().clearAddress());
    refused(
        TakeOverRefusal.FOREIGN_ADDRESS,
        request().setAddress(TakeOverMessage.of(PublicAddress.of("8.8.8.8", "fd51::9"))));
    refused(
        TakeOverRefusal.TOKEN_INVALID,
        request().setToken(request().getToken().toBuilder().setSignature(ByteString.empty())));
    second.snapt.control.drain().begin(0);
    refused(TakeOverRefusal.NOT_SERVING, request());
    assertThat(second.snapt.registry.arrivals().waiting()).isZero();
  }

  @Test
  void anAddressThatWasNotGivenIsNotTakenBack() throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("localhost", second.group.port())
            .sslContext(client("snapt-1"))
            .build();
    try {
      var answer =
          SnaptGroupGrpc.newBlockingStub(channel)
              .return_(
                  ReturnRequest.newBuilder()
                      .setGroup("core")
                      .setAddress(TakeOverMessage.of(PublicAddress.of("127.202.0.9", "fd52::9")))
                      .build());
      assertThat(answer.getKnown()).isFalse();
      assertThat(second.counts.returns().of(ReturnOutcome.UNKNOWN)).isEqualTo(1);
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void anOwnAddressThatHasNotLeftIsNotTakenFromAMember() throws Exception {
    refused(
        TakeOverRefusal.FOREIGN_ADDRESS,
        request().setAddress(TakeOverMessage.of(PublicAddress.of("127.202.0.9", "fd52::9"))));
    assertThat(second.snapt.registry.arrivals().waiting()).isZero();
  }

  @Test
  void anAddressThatADeviceIsWaitedForWithIsNotTakenForAnother() throws Exception {
    ManagedChannel open = channel("snapt-1");
    opened.add(open::shutdownNow);
    assertThat(SnaptGroupGrpc.newBlockingStub(open).takeOver(request().build()).next().getState())
        .isEqualTo(TakeOverState.PREPARED);
    KeyPair other = Ed25519.generate();
    refused(
        TakeOverRefusal.ADDRESS_IN_USE,
        request()
            .setNumber(2)
            .setToken(
                SignedSessionToken.parseFrom(
                    operator.sign(TestOperator.token("bob", other).build())))
            .setAddress(TakeOverMessage.of(PublicAddress.of("127.201.0.9", "fd51::10"))));
    assertThat(second.snapt.registry.arrivals().waiting()).isEqualTo(1);
  }

  /// Replaces the second SNAPT by a member that answers as the test wants, and has taken nothing
  /// when it is asked.
  private void memberThat(
      BiConsumer<TakeOverRequest, ServerCallStreamObserver<TakeOverAnswer>> answers)
      throws Exception {
    Server member =
        NettyServerBuilder.forPort(0)
            .sslContext(server("snapt-2"))
            .addService(
                new SnaptGroupGrpc.SnaptGroupImplBase() {
                  @Override
                  public void takeOver(
                      TakeOverRequest request, StreamObserver<TakeOverAnswer> observer) {
                    numbers.add("take over " + request.getNumber());
                    answers.accept(request, (ServerCallStreamObserver<TakeOverAnswer>) observer);
                  }

                  @Override
                  public void outcome(
                      OutcomeRequest request, StreamObserver<OutcomeAnswer> observer) {
                    numbers.add("outcome " + request.getNumber());
                    observer.onNext(OutcomeAnswer.getDefaultInstance());
                    observer.onCompleted();
                  }
                })
            .build()
            .start();
    opened.add(member::shutdownNow);
    first.close();
    first = new One(1, member.getPort());
    first.snapt.control.relays().told(List.of(entry(2, SnaptState.SERVING)), ByteString.EMPTY);
  }

  @Test
  void aCallThatEndsWithoutAWordIsAFailureAndTheSessionGoesOn() throws Exception {
    memberThat((_, answers) -> answers.onCompleted());
    assertThat(connect(first).next().hasWelcome()).isTrue();
    first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    await().until(() -> first.counts.moves().of(MoveOutcome.REFUSED) == HandOvers.ATTEMPTS_MAX);
    await().until(() -> first.snapt.registry.ends().of(SessionEnd.DRAINED) == 1);
  }

  @Test
  void theAnswersOfAnAttemptCountForThatAttemptAlone() throws Exception {
    memberThat((request, answers) -> {
      answers.onNext(TakeOverAnswer.newBuilder().setState(TakeOverState.PREPARED).build());
      if (numbers.size() == 1) { // the first attempt; the second one is left without an end
        answers.onNext(TakeOverAnswer.newBuilder().setState(TakeOverState.PREPARED).build());
        answers.onError(Status.UNAVAILABLE.asException());
      }
    });
    TestControl before = connect(first);
    assertThat(before.next().hasWelcome()).isTrue();
    first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    long one = moved(before).getNumber();
    long two = moved(before).getNumber();
    assertThat(two).isGreaterThan(one);
    assertThat(numbers)
        .as("no attempt before the outcome of the one before")
        .containsExactly("take over " + one, "outcome " + one, "take over " + two);
    assertThat(first.counts.moves().of(MoveOutcome.UNREACHABLE)).isEqualTo(1);
    assertThat(first.counts.intents()).as("the second attempt").isEqualTo(1);
  }

  @Test
  void anEndOfAnEarlierAttemptDoesNotEndTheOneThatHasTheSession() throws Exception {
    ManagedChannel open = channel("snapt-1");
    opened.add(open::shutdownNow);
    var context = Context.current().withCancellation();
    var late = context.call(() -> SnaptGroupGrpc.newBlockingStub(open).takeOver(request().build()));
    assertThat(late.next().getState()).isEqualTo(TakeOverState.PREPARED);
    var present = SnaptGroupGrpc.newBlockingStub(open).takeOver(request().setNumber(2).build());
    assertThat(present.next().getState()).isEqualTo(TakeOverState.PREPARED);
    Welcome welcome = connect(second).next().getWelcome();
    assertThat(welcome.getMovedNumber()).isEqualTo(2);
    TestTunnel tunnel = tunnel(welcome, second);
    assertThat(present.next().getState()).isEqualTo(TakeOverState.INSTALLED);
    context.cancel(null);
    assertThat(outcome(open, 1)).as("the address is here").isTrue();
    tunnel.send(PacketText.up());
    assertThat(source(second.snapt.nextOut())).isEqualTo("127.201.0.9");
    assertThat(second.snapt.registry.size()).isEqualTo(1);
  }

  @Test
  void aRequestThatComesAfterTheQuestionForItsOutcomeIsNotBegun() throws Exception {
    ManagedChannel open = channel("snapt-1");
    opened.add(open::shutdownNow);
    assertThat(outcome(open, 1)).isFalse();
    refused(TakeOverRefusal.GIVEN_UP, request());
    assertThat(second.snapt.registry.arrivals().waiting()).isZero();
  }

  private boolean outcome(ManagedChannel open, long number) throws Exception {
    return SnaptGroupGrpc.newBlockingStub(open)
        .outcome(
            OutcomeRequest.newBuilder()
                .setGroup("core")
                .setNumber(number)
                .setAddress(request().getAddress())
                .build())
        .getTaken();
  }

  /// A session at the first SNAPT, whose device has been told to go to the second one.
  private final class Leaving {
    private final TestControl before = connect(first);
    private final TestTunnel old = tunnel(before.next().getWelcome(), first);
    private final String address;

    private Leaving() throws Exception {
      old.send(PacketText.up());
      address = source(first.snapt.nextOut());
      first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
      assertThat(moved(before).getTo().getSnaptId()).isEqualTo("snapt-2");
    }

    private void carriesAtFirst() throws Exception {
      old.send(PacketText.up());
      assertThat(source(first.snapt.nextOut())).isEqualTo(address);
    }

    /// Has the session taken over, without the first SNAPT's hearing of it.
    private TestTunnel isTakenUnheard() throws Exception {
      toSecond.loseAnswers();
      TestTunnel fresh = tunnel(connect(second).next().getWelcome(), second);
      await().until(() -> second.counts.answers().of(TakeOverState.INSTALLED) == 1);
      return fresh;
    }
  }

  private void restartFirst() throws Exception {
    first.close();
    first = new One(1, toSecond.port());
    toFirst.leadTo(first.group.port());
  }

  private void restartSecond() throws Exception {
    second.close();
    second = new One(2, toFirst.port());
    toSecond.leadTo(second.group.port());
  }

  @Test
  void aConnectionThatBreaksBeforeTheDeviceHasComeLeavesTheSessionWhereItWas() throws Exception {
    Leaving session = new Leaving();
    toSecond.cut();
    await().until(() -> first.counts.asked().of(OutcomeOfAsking.NOT_TAKEN) == 1);
    session.carriesAtFirst();
    assertThat(moved(session.before).getTo().getSnaptId()).as("again").isEqualTo("snapt-2");
    TestTunnel fresh = tunnel(connect(second).next().getWelcome(), second);
    await().until(() -> first.counts.moves().of(MoveOutcome.MOVED) == 1);
    fresh.send(PacketText.up());
    assertThat(source(second.snapt.nextOut())).isEqualTo(session.address);
  }

  @Test
  void anInstalledThatIsLostIsAskedFor() throws Exception {
    Leaving session = new Leaving();
    TestTunnel fresh = session.isTakenUnheard();
    assertThat(first.counts.intents()).isEqualTo(1);
    toSecond.cut();
    assertThat(moved(session.before).getDone()).isTrue();
    assertThat(first.counts.asked().of(OutcomeOfAsking.TAKEN)).isEqualTo(1);
    assertThat(first.counts.moves().of(MoveOutcome.MOVED)).isEqualTo(1);
    assertThat(first.counts.intents()).isZero();
    assertThat(first.host.routes).containsExactly(session.address + " to snapt-2");
    fresh.send(PacketText.up());
    assertThat(source(second.snapt.nextOut())).isEqualTo(session.address);
  }

  @Test
  void anOldSnaptThatRestartsGivesTheAddressToNobodyWhileTheNewOneHasIt() throws Exception {
    Leaving session = new Leaving();
    session.isTakenUnheard();
    first.close();
    toSecond.cut();
    int port = second.group.port();
    toSecond.leadTo(1); // nothing answers there
    first = new One(1, toSecond.port());
    toFirst.leadTo(first.group.port());
    await().until(() -> first.counts.asked().of(OutcomeOfAsking.UNREACHABLE) > 0);
    tunnel(connect(first).next().getWelcome(), first).send(PacketText.up());
    assertThat(source(first.snapt.nextOut()))
        .as("the address that this device would get")
        .isNotEqualTo(session.address);
    toSecond.leadTo(port);
    await().until(() -> first.counts.asked().of(OutcomeOfAsking.TAKEN) == 1);
    assertThat(first.host.routes).containsExactly(session.address + " to snapt-2");
    assertThat(first.counts.addresses()).isEqualTo(1);
  }

  @Test
  void anOldSnaptThatRestartsBeforeTheDeviceHasGoneHasItsAddressAgain() throws Exception {
    Leaving session = new Leaving();
    restartFirst();
    await().until(() -> first.counts.asked().of(OutcomeOfAsking.NOT_TAKEN) == 1);
    await().until(() -> first.counts.intents() == 0);
    tunnel(connect(first).next().getWelcome(), first).send(PacketText.up());
    assertThat(source(first.snapt.nextOut())).isEqualTo(session.address);
  }

  @Test
  void aNewSnaptThatRestartsWithASessionThatWasNotHeardOfHasTakenNothing() throws Exception {
    Leaving session = new Leaving();
    session.isTakenUnheard();
    restartSecond();
    toSecond.cut();
    await().until(() -> first.counts.asked().of(OutcomeOfAsking.NOT_TAKEN) == 1);
    session.carriesAtFirst();
    assertThat(first.host.routes).isEmpty();
    await().until(() -> second.counts.addresses() == 0);
    assertThat(second.host.routes).last().isEqualTo(session.address + " forgotten");
  }

  @Test
  void aNewSnaptThatRestartsBeforeTheDeviceHasComeIsTriedAgain() throws Exception {
    Leaving session = new Leaving();
    toSecond.leadTo(1); // nothing answers there
    toSecond.cut();
    await().until(() -> first.counts.asked().of(OutcomeOfAsking.UNREACHABLE) > 0);
    restartSecond();
    await().until(() -> first.counts.asked().of(OutcomeOfAsking.NOT_TAKEN) == 1);
    session.carriesAtFirst();
    assertThat(moved(session.before).getTo().getSnaptId()).isEqualTo("snapt-2");
    tunnel(connect(second).next().getWelcome(), second);
    await().until(() -> first.counts.moves().of(MoveOutcome.MOVED) == 1);
  }

  @Test
  void aSessionThatEndsWhileItsOutcomeIsUnclearKeepsItsAddressFromOthers() throws Exception {
    Leaving session = new Leaving();
    session.isTakenUnheard();
    int port = second.group.port();
    toSecond.leadTo(1);
    toSecond.cut();
    await().until(() -> first.counts.asked().of(OutcomeOfAsking.UNREACHABLE) > 0);
    session.before.send(goodbye());
    await().until(() -> first.snapt.registry.size() == 0);
    first.snapt.control.drain().end();
    tunnel(connect(first).next().getWelcome(), first).send(PacketText.up());
    assertThat(source(first.snapt.nextOut())).isNotEqualTo(session.address);
    toSecond.leadTo(port);
    await().until(() -> first.counts.addresses() == 1);
    assertThat(first.counts.moves().of(MoveOutcome.MOVED)).isEqualTo(1);
  }

  @Test
  void anAnswerOutOfTurnCancelsTheCallAndTheSessionGoesOn() throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    memberThat((_, answers) -> {
      answers.setOnCancelHandler(cancelled::countDown);
      answers.onNext(TakeOverAnswer.newBuilder().setState(TakeOverState.INSTALLED).build());
    });
    assertThat(connect(first).next().hasWelcome()).isTrue();
    first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    await().until(() -> first.counts.moves().of(MoveOutcome.REFUSED) > 0);
    assertThat(first.counts.moves().of(MoveOutcome.MOVED)).isZero();
    assertThat(first.host.routes).isEmpty();
  }

  @Test
  void aSessionWithIpv6IsNotHandedOverWhereIpv6CannotBeLed() throws Exception {
    first.host.hasIpv6 = true;
    assertThat(connect(first).next().hasWelcome()).isTrue();
    first.snapt.control.drain().begin(System.currentTimeMillis() + 1);
    await().until(() -> first.counts.moves().of(MoveOutcome.NO_MEMBER) > 0);
    assertThat(second.counts.answers().of(TakeOverState.PREPARED)).isZero();
  }

  @Test
  void aConnectionThatIsOverIsNotHandedOver() throws Exception {
    TestTunnel tunnel = tunnel(connect(first).next().getWelcome(), first);
    for (int flags : new int[] {0x10, 0x04}) { // ACK, RST
      byte[] segment = new byte[20];
      ByteBuffer.wrap(segment).putShort((short) 5_000).putShort((short) 443);
      segment[12] = 5 << 4;
      segment[13] = (byte) flags;
      tunnel.send(PacketText.packet("10.64.0.2", SERVER, 6, segment));
      assertThat(first.snapt.nextOut()).isNotNull();
      var session = first.snapt.registry.sessions().iterator().next();
      assertThat(first.snapt.relay.carriedBy(session, 10).get().flows())
          .as("after the flags %02x", flags)
          .hasSize(flags == 0x10 ? 1 : 0);
    }
  }
}
