package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.pkitesting.X509Bundle;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.Refusal;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.TokenAccepted;
import io.viaduct.tunnel.control.v1.Welcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ControlClientTest implements ControlListener {
  private static final String HERE = "127.0.0.1";
  private static final byte[] TOKEN = {1, 2, 3};
  private static final long SEED = 42;

  @TempDir Path folder;

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final KeyPair deviceKey = Ed25519.generate();
  private final Queue<Welcomed> welcomed = new ConcurrentLinkedQueue<>();
  private final Queue<ControlFailure> lost = new ConcurrentLinkedQueue<>();
  private final Queue<String> details = new ConcurrentLinkedQueue<>();
  private final Queue<String> tokensRefused = new ConcurrentLinkedQueue<>();
  private final Queue<Long> tokensAccepted = new ConcurrentLinkedQueue<>();
  private X509Bundle authority;
  private TestSnapt snapt;
  private ControlClient client;

  @Override
  public void welcomed(Welcomed by) {
    welcomed.add(by);
  }

  @Override
  public void lost(ControlFailure why, String detail) {
    lost.add(why);
    details.add(detail);
  }

  @Override
  public void tokenRefused(String detail) {
    tokensRefused.add(detail);
  }

  @Override
  public void tokenAccepted(long expiresMs) {
    tokensAccepted.add(expiresMs);
  }

  @Override
  public void relays(List<Snapt> relays) {}

  @BeforeEach
  void makeAuthority() throws Exception {
    authority = TestSnapt.authority("operator");
    Files.writeString(folder.resolve("ca.pem"), authority.getCertificatePEM());
    Ed25519.writePrivate(folder.resolve("device.pem"), deviceKey.getPrivate());
    System.out.println("seed " + SEED);
  }

  @AfterEach
  void stop() {
    if (client != null) {
      client.close("test ends");
    }
    if (snapt != null) {
      snapt.close();
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private void serve(BiConsumer<TestSnapt.Client, ControlMessage> answers) throws Exception {
    snapt =
        new TestSnapt(
            TestSnapt.certificate(authority, "snapt-1", HERE), ControlConnection.PROTOCOL, answers);
  }

  private void connect(String id) {
    connect(id, Duration.ofSeconds(10));
  }

  private void connect(String id, Duration keepAlive) {
    ControlSettings settings =
        new ControlSettings(
            Duration.ofSeconds(2), keepAlive, Duration.ofMillis(20), Duration.ofMillis(100));
    Greeting greeting =
        new Greeting(
            List.of(Aead.AES_256_GCM),
            List.of("ssh", "web"),
            1500,
            "100.96.0.2",
            "fd76::2",
            "test");
    client =
        new ControlClient(
            loops.next(),
            () -> TlsMaterial.anonymousClient(folder.resolve("ca.pem")),
            0,
            settings,
            new SnaptSettings(HERE, snapt.port(), id),
            DeviceIdentity.read(folder.resolve("device.pem")),
            greeting,
            new Random(SEED),
            this);
    client.present(TOKEN, List.of());
  }

  private static ControlMessage.Builder welcome(String session, boolean resumed) {
    return ControlMessage.newBuilder()
        .setWelcome(
            Welcome.newBuilder()
                .setSessionId(session)
                .setSecret(resumed ? ByteString.EMPTY : ByteString.copyFrom(new byte[32]))
                .setResumed(resumed)
                .setReceiverIndex(7)
                .setAead(Aead.AES_256_GCM)
                .setDataPort(7000)
                .setPathMtu(1400)
                .setSnaptId("snapt-1"));
  }

  private static void welcomeAll(TestSnapt.Client to, ControlMessage message) {
    if (message.hasHello()) {
      String resume = message.getHello().getResumeSessionId();
      to.send(resume.isEmpty() ? welcome("s1", false) : welcome(resume, true));
    }
  }

  @Test
  void aWelcomeComesAfterAHelloWhoseProofFitsThisConnection() throws Exception {
    serve(ControlClientTest::welcomeAll);
    connect("snapt-1");
    await().until(() -> welcomed.size() == 1);
    Hello hello = snapt.received.peek().getHello();
    assertThat(hello.getToken().toByteArray()).isEqualTo(TOKEN);
    assertThat(hello.getApplicationsList()).containsExactly("ssh", "web");
    assertThat(hello.getInnerIpv4().size()).isEqualTo(4);
    assertThat(hello.getInnerIpv6().size()).isEqualTo(16);
    assertThat(
            DeviceProof.verify(
                deviceKey.getPublic(),
                snapt.clients.peek().exporter(),
                hello.getProof().toByteArray()))
        .isTrue();
    assertThat(welcomed.peek().data().getPort()).isEqualTo(7000);
    assertThat(welcomed.peek().ownReceiverIndex()).isEqualTo(hello.getReceiverIndex());
  }

  @Test
  void aCertificateOfAnotherAuthorityIsRefusedBeforeTheTokenIsShown() throws Exception {
    X509Bundle other = TestSnapt.authority("somebody else");
    snapt =
        new TestSnapt(
            TestSnapt.certificate(other, "snapt-1", HERE),
            ControlConnection.PROTOCOL,
            ControlClientTest::welcomeAll);
    connect("snapt-1");
    await().until(() -> !lost.isEmpty());
    assertThat(lost.peek()).isEqualTo(ControlFailure.CERTIFICATE_REFUSED);
    assertThat(client.failures(ControlFailure.CERTIFICATE_REFUSED)).isPositive();
    assertThat(snapt.received).isEmpty();
  }

  @Test
  void aCertificateForAnotherHostIsRefused() throws Exception {
    snapt =
        new TestSnapt(
            TestSnapt.certificate(authority, "snapt-1", "10.9.9.9"),
            ControlConnection.PROTOCOL,
            ControlClientTest::welcomeAll);
    connect("snapt-1");
    await().until(() -> !lost.isEmpty());
    assertThat(lost.peek()).isEqualTo(ControlFailure.CERTIFICATE_REFUSED);
    assertThat(details.peek()).contains(HERE);
    assertThat(snapt.received).isEmpty();
  }

  @Test
  void aGoodCertificateOfAnotherSnaptIsRefusedByItsName() throws Exception {
    serve(ControlClientTest::welcomeAll);
    connect("snapt-2");
    await().until(() -> !lost.isEmpty());
    assertThat(lost.peek()).isEqualTo(ControlFailure.SNAPT_ID_MISMATCH);
    assertThat(details.peek()).contains("'snapt-1'").contains("'snapt-2'");
    assertThat(snapt.received).isEmpty();
  }

  @Test
  void aServerThatDoesNotSpeakTheProtocolIsRefused() throws Exception {
    snapt =
        new TestSnapt(
            TestSnapt.certificate(authority, "snapt-1", HERE), "", ControlClientTest::welcomeAll);
    connect("snapt-1");
    await().until(() -> !lost.isEmpty());
    assertThat(lost.peek()).isEqualTo(ControlFailure.PROTOCOL_NOT_SPOKEN);
    assertThat(snapt.received).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = RefusalCode.class,
      names = {"UNRECOGNIZED", "REFUSAL_CODE_UNSPECIFIED"},
      mode = EnumSource.Mode.EXCLUDE)
  void everyRefusalIsCountedByItsCode(RefusalCode code) throws Exception {
    serve((to, message) ->
        to.send(ControlMessage.newBuilder().setRefusal(Refusal.newBuilder().setCode(code))));
    connect("snapt-1");
    await().until(() -> !lost.isEmpty());
    assertThat(lost.peek()).isEqualTo(ControlFailure.REFUSED);
    assertThat(client.refusals(code)).isPositive();
    boolean ofToken = code.name().startsWith("TOKEN") || code == RefusalCode.PROOF_INVALID;
    assertThat(!tokensRefused.isEmpty()).isEqualTo(ofToken);
    assertThat(welcomed).isEmpty();
  }

  @Test
  void aLostConnectionIsMadeAgainAndTheSessionResumedUnderTheSameIndex() throws Exception {
    serve(ControlClientTest::welcomeAll);
    connect("snapt-1");
    await().until(() -> welcomed.size() == 1);
    snapt.clients.peek().close();
    await().until(() -> welcomed.size() == 2);
    Welcomed first = welcomed.poll();
    Welcomed second = welcomed.poll();
    assertThat(second.welcome().getResumed()).isTrue();
    assertThat(second.ownReceiverIndex()).isEqualTo(first.ownReceiverIndex());
    assertThat(lost).containsExactly(ControlFailure.CLOSED);
  }

  @Test
  void aSnaptThatHasForgottenTheSessionGivesANewOne() throws Exception {
    serve((to, message) -> {
      if (message.hasHello()) {
        String asked = message.getHello().getResumeSessionId();
        to.send(welcome(asked.isEmpty() ? "s1" : "s2", false));
      }
    });
    connect("snapt-1");
    await().until(() -> welcomed.size() == 1);
    snapt.clients.peek().close();
    await().until(() -> welcomed.size() == 2);
    assertThat(welcomed.stream().map(w -> w.welcome().getSessionId())).containsExactly("s1", "s2");
  }

  @Test
  void aChangeOfNetworkMakesTheConnectionAgainAtOnce() throws Exception {
    serve(ControlClientTest::welcomeAll);
    connect("snapt-1");
    await().until(() -> welcomed.size() == 1);
    client.networkChanged();
    await().until(() -> welcomed.size() == 2);
    assertThat(lost).containsExactly(ControlFailure.NETWORK_CHANGED);
    assertThat(welcomed.stream().skip(1).findFirst().orElseThrow().welcome().getResumed()).isTrue();
  }

  @Test
  void threeKeepAlivesWithoutAnswerEndTheConnection() throws Exception {
    serve(ControlClientTest::welcomeAll); // answers no keep-alive
    connect("snapt-1", Duration.ofMillis(100));
    await().until(() -> lost.contains(ControlFailure.KEEP_ALIVE_LOST));
    assertThat(snapt.received.stream().filter(ControlMessage::hasKeepAlive)).hasSizeGreaterThan(2);
  }

  @Test
  void keepAlivesAreAnsweredBothWays() throws Exception {
    serve((to, message) -> {
      welcomeAll(to, message);
      if (message.hasKeepAlive() && !message.getKeepAlive().getReply()) {
        to.send(
            ControlMessage.newBuilder()
                .setKeepAlive(message.getKeepAlive().toBuilder().setReply(true)));
        to.send(ControlMessage.newBuilder().setKeepAlive(KeepAlive.newBuilder().setNumber(99)));
      }
    });
    connect("snapt-1", Duration.ofMillis(100));
    await()
        .until(() ->
            snapt.received.stream()
                    .filter(m -> m.hasKeepAlive() && !m.getKeepAlive().getReply())
                    .count()
                > 5);
    assertThat(snapt.received.stream().map(ControlMessage::getKeepAlive))
        .contains(KeepAlive.newBuilder().setNumber(99).setReply(true).build());
    assertThat(lost).isEmpty();
  }

  @Test
  void aNewerTokenIsShownOnTheOpenConnection() throws Exception {
    serve((to, message) -> {
      welcomeAll(to, message);
      if (message.hasTokenUpdate()) {
        to.send(
            ControlMessage.newBuilder()
                .setTokenAccepted(TokenAccepted.newBuilder().setExpiresMs(777)));
      }
    });
    connect("snapt-1");
    await().until(() -> welcomed.size() == 1);
    client.present(new byte[] {9}, List.of());
    await().until(() -> tokensAccepted.contains(777L));
    assertThat(lost).isEmpty();
  }

  @Test
  void afterThreeFailuresTheNextSnaptOfTheListIsAsked() throws Exception {
    serve((to, message) -> to.close());
    try (TestSnapt second =
        new TestSnapt(
            TestSnapt.certificate(authority, "snapt-2", HERE),
            ControlConnection.PROTOCOL,
            (to, message) -> {
              if (message.hasHello()) {
                to.send(
                    ControlMessage.newBuilder()
                        .setWelcome(
                            welcome("s9", false).getWelcome().toBuilder().setSnaptId("snapt-2")));
              }
            })) {
      connect("snapt-1");
      client.present(TOKEN, List.of(new Snapt("snapt-2", HERE, second.port())));
      await().until(() -> welcomed.size() == 1);
      assertThat(welcomed.peek().snapt().id()).isEqualTo("snapt-2");
      assertThat(lost).hasSizeGreaterThanOrEqualTo(Candidates.ATTEMPTS_MAX);
    }
  }

  @Test
  void whatBreaksTheProtocolEndsTheConnectionAndIsCounted() throws Exception {
    serve((to, message) -> {
      switch ((int) (client.failures(ControlFailure.MALFORMED) % 5)) {
        case 0 -> to.sendRaw((byte) 2, (byte) 0, (byte) 0, (byte) 0);
        case 1 -> to.sendRaw((byte) 0, (byte) 2, (byte) 0, (byte) 0);
        case 2 -> to.sendRaw((byte) 0, (byte) 0, (byte) 0, (byte) 1, (byte) 0xff);
        case 3 -> to.send(ControlMessage.newBuilder().setHello(Hello.getDefaultInstance()));
        default ->
            to.send(
                ControlMessage.newBuilder()
                    .setWelcome(welcome("s", false).getWelcome().toBuilder().setDataPort(0)));
      }
    });
    connect("snapt-1");
    await().until(() -> client.failures(ControlFailure.MALFORMED) >= 5);
    assertThat(welcomed).isEmpty();
    assertThat(lost).containsOnly(ControlFailure.MALFORMED);
  }

  @Test
  void nobodyThereIsUnreachableAndTriedAgain() throws Exception {
    serve(ControlClientTest::welcomeAll);
    snapt.close();
    connect("snapt-1");
    await().until(() -> client.failures(ControlFailure.UNREACHABLE) >= 3);
  }

  @Test
  void aGoodbyeOfTheSnaptBeginsANewSession() throws Exception {
    serve(ControlClientTest::welcomeAll);
    connect("snapt-1");
    await().until(() -> welcomed.size() == 1);
    snapt
        .clients
        .peek()
        .send(
            ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("maintenance")));
    await().until(() -> welcomed.size() == 2);
    assertThat(lost).containsExactly(ControlFailure.GOODBYE);
    assertThat(
            snapt.received.stream()
                .filter(ControlMessage::hasHello)
                .skip(1)
                .findFirst()
                .orElseThrow()
                .getHello()
                .getResumeSessionId())
        .isEmpty();
  }

  @Test
  void aStopSaysGoodbye() throws Exception {
    serve(ControlClientTest::welcomeAll);
    connect("snapt-1");
    await().until(() -> welcomed.size() == 1);
    client.close("device stops");
    await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasGoodbye));
  }
}
