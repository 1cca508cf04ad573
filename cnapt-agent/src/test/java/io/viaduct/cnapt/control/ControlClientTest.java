package io.viaduct.cnapt.control;

import static io.viaduct.cnapt.control.TestAgent.HERE;
import static io.viaduct.cnapt.control.TestAgent.TOKEN;
import static io.viaduct.cnapt.control.TestSnapt.welcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.X509Bundle;
import io.viaduct.cnapt.links.LinkUse;
import io.viaduct.cnapt.links.Remote;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.service.logging.CapturedLog;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.tunnel.control.v1.Refusal;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.RelayList;
import io.viaduct.tunnel.control.v1.TokenAccepted;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ControlClientTest {
  @TempDir Path folder;

  private TestAgent agent;
  private TestSnapt snapt;

  @BeforeEach
  void start() throws Exception {
    agent = new TestAgent(folder);
  }

  @AfterEach
  void stop() {
    agent.close();
    if (snapt != null) {
      snapt.close();
    }
  }

  private void serve(BiConsumer<TestSnapt.Client, ControlMessage> answers) throws Exception {
    snapt =
        new TestSnapt(
            TestSnapt.certificate(agent.authority, "snapt-1", HERE), ControlFrame.ALPN, answers);
  }

  private void connect(String id) {
    connect(id, Duration.ofSeconds(10));
  }

  private void connect(String id, Duration keepAlive, Snapt... listed) {
    agent.connect(
        new SnaptSettings(HERE, snapt.port(), id),
        TestAgent.settings(keepAlive, Duration.ofSeconds(10)),
        listed);
  }

  @Test
  void aWelcomeComesAfterAHelloWhoseProofFitsThisConnection() throws Exception {
    serve(TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    Hello hello = snapt.received.peek().getHello();
    assertThat(hello.getToken().toByteArray()).isEqualTo(TOKEN);
    assertThat(hello.getApplicationsList()).containsExactly("ssh", "web");
    assertThat(hello.getInnerIpv4().size()).isEqualTo(4);
    assertThat(hello.getInnerIpv6().size()).isEqualTo(16);
    assertThat(
            DeviceProof.verify(
                agent.deviceKey.getPublic(),
                snapt.clients.peek().exporter(),
                hello.getProof().toByteArray()))
        .isTrue();
    assertThat(agent.welcomed.peek().peers().control().getPort()).isEqualTo(7000);
    assertThat(agent.welcomed.peek().ownReceiverIndex()).isEqualTo(hello.getReceiverIndex());
  }

  @Test
  void theHelloOffersEightPathsAndASnaptOfTheVersionBeforeThatNamesNoneGetsOne() throws Exception {
    serve(TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    Hello hello = snapt.received.peek().getHello();
    assertThat(hello.getPaths()).isEqualTo(8);
    assertThat(hello.getFeaturesList()).containsAll(TunnelLimits.FEATURES);
    TunnelLimits agreed = agent.welcomed.peek().terms(TestAgent.LIMITS).limits();
    assertThat(agreed.paths()).isEqualTo(1);
    assertThat(agreed.features()).isEmpty();
  }

  @Test
  void theSmallerNumberOfPathsOfHelloAndWelcomeCounts() throws Exception {
    serve((to, message) -> {
      if (message.hasHello()) {
        ControlMessage.Builder welcome = welcome("s1", false);
        welcome.getWelcomeBuilder().setPaths(3).addFeatures(Feature.COPIES);
        to.send(welcome);
      }
    });
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    TunnelLimits agreed = agent.welcomed.peek().terms(TestAgent.LIMITS).limits();
    assertThat(agreed.paths()).isEqualTo(3);
    assertThat(agreed.features()).containsExactly(Feature.COPIES);
  }

  @Test
  void aCertificateOfAnotherAuthorityIsRefusedBeforeTheTokenIsShown() throws Exception {
    X509Bundle other = TestSnapt.authority("somebody else");
    snapt =
        new TestSnapt(
            TestSnapt.certificate(other, "snapt-1", HERE),
            ControlFrame.ALPN,
            TestSnapt::welcomeAll);
    try (CapturedLog said = CapturedLog.of("io.viaduct.cnapt")) {
      connect("snapt-1");
      await().until(() -> agent.client().counts().failures(ControlFailure.CERTIFICATE_REFUSED) > 1);
      assertThat(said.lines(""))
          .as("one line, however often it is tried")
          .singleElement()
          .asString()
          .contains("snapt-1 " + HERE, "not signed by an authority that is trusted", "key trust")
          .hasLineCount(1);
    }
    assertThat(agent.lost.peek()).isEqualTo(ControlFailure.CERTIFICATE_REFUSED);
    assertThat(snapt.received).isEmpty();
  }

  @Test
  void aCertificateForAnotherHostIsRefused() throws Exception {
    snapt =
        new TestSnapt(
            TestSnapt.certificate(agent.authority, "snapt-1", "10.9.9.9"),
            ControlFrame.ALPN,
            TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> !agent.lost.isEmpty());
    assertThat(agent.lost.peek()).isEqualTo(ControlFailure.CERTIFICATE_REFUSED);
    assertThat(agent.details.peek()).contains(HERE);
    assertThat(snapt.received).isEmpty();
  }

  @Test
  void aGoodCertificateOfAnotherSnaptIsRefusedByItsName() throws Exception {
    serve(TestSnapt::welcomeAll);
    connect("snapt-2");
    await().until(() -> !agent.lost.isEmpty());
    assertThat(agent.lost.peek()).isEqualTo(ControlFailure.SNAPT_ID_MISMATCH);
    assertThat(agent.details.peek()).contains("'snapt-1'").contains("'snapt-2'");
    assertThat(snapt.received).isEmpty();
  }

  @Test
  void aServerThatDoesNotSpeakTheProtocolIsRefused() throws Exception {
    snapt =
        new TestSnapt(
            TestSnapt.certificate(agent.authority, "snapt-1", HERE), "", TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> !agent.lost.isEmpty());
    assertThat(agent.lost.peek()).isEqualTo(ControlFailure.PROTOCOL_NOT_SPOKEN);
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
    await().until(() -> !agent.lost.isEmpty());
    assertThat(agent.lost.peek()).isEqualTo(ControlFailure.REFUSED);
    assertThat(agent.client().counts().refusals(code)).isPositive();
    boolean ofToken = code.name().startsWith("TOKEN") || code == RefusalCode.PROOF_INVALID;
    assertThat(!agent.tokensRefused.isEmpty()).isEqualTo(ofToken);
    assertThat(agent.welcomed).isEmpty();
  }

  @Test
  void aRevokedDeviceLearnsWhyAsksForATokenAndResumesNoSession() throws Exception {
    AtomicBoolean isRevoked = new AtomicBoolean();
    serve((to, message) -> {
      if (!message.hasHello()) {
        return;
      }
      if (isRevoked.getAndSet(true)) {
        to.send(
            ControlMessage.newBuilder()
                .setRefusal(
                    Refusal.newBuilder()
                        .setCode(RefusalCode.TOKEN_REVOKED)
                        .setDetail("the account is suspended")));
      } else {
        to.send(welcome("s1", false));
        to.send(
            ControlMessage.newBuilder()
                .setGoodbye(Goodbye.newBuilder().setReason("REVOKED: the account is suspended")));
      }
    });
    connect("snapt-1");
    await().until(() -> !agent.tokensRefused.isEmpty());
    assertThat(agent.tokensRefused.peek()).isEqualTo("TOKEN_REVOKED: the account is suspended");
    await().until(() -> agent.lost.size() >= 2);
    assertThat(agent.lost).startsWith(ControlFailure.GOODBYE, ControlFailure.REFUSED);
    assertThat(agent.details.peek()).contains("REVOKED: the account is suspended");
    assertThat(snapt.received)
        .filteredOn(ControlMessage::hasHello)
        .allSatisfy(hello -> assertThat(hello.getHello().getResumeSessionId()).isEmpty());
  }

  @Test
  void aLostConnectionIsMadeAgainAndTheSessionResumedUnderTheSameIndex() throws Exception {
    serve(TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    snapt.clients.peek().close();
    await().until(() -> agent.welcomed.size() == 2);
    Welcomed first = agent.welcomed.poll();
    Welcomed second = agent.welcomed.poll();
    assertThat(second.welcome().getResumed()).isTrue();
    assertThat(second.ownReceiverIndex()).isEqualTo(first.ownReceiverIndex());
    assertThat(agent.lost).containsExactly(ControlFailure.CLOSED);
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
    await().until(() -> agent.welcomed.size() == 1);
    snapt.clients.peek().close();
    await().until(() -> agent.welcomed.size() == 2);
    assertThat(agent.welcomed.stream().map(w -> w.welcome().getSessionId()))
        .containsExactly("s1", "s2");
  }

  @Test
  void aChangeOfNetworkMakesTheConnectionAgainAtOnce() throws Exception {
    serve(TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    agent.client().networkChanged();
    await().until(() -> agent.welcomed.size() == 2);
    assertThat(agent.lost).containsExactly(ControlFailure.NETWORK_CHANGED);
    assertThat(agent.welcomed.stream().skip(1).findFirst().orElseThrow().welcome().getResumed())
        .isTrue();
  }

  private static UsableLink link(String name, int index, String source) {
    return new UsableLink(
        name, index, List.of(InetAddress.ofLiteral(source)), 0, LinkUse.YES, null);
  }

  @Test
  void aConnectionStaysWhileItsLinkComesAndGoesAndIsMadeAgainWhenAnotherOneIsLeft()
      throws Exception {
    serve((to, message) -> {
      TestSnapt.welcomeAll(to, message);
      if (message.hasKeepAlive()) {
        to.send(
            ControlMessage.newBuilder()
                .setKeepAlive(message.getKeepAlive().toBuilder().setReply(true)));
      }
    });
    UsableLink here = link("lo", 1, TestAgent.HERE);
    agent.links = List.of(here);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    for (int flap = 0; flap < 3; flap++) {
      agent.client().linksChanged(List.of(here, link("eth9", 9, "192.0.2.9")));
      agent.client().linksChanged(List.of());
      agent.client().linksChanged(List.of(here));
      int asked = flap + 1;
      await()
          .until(
              () -> snapt.received.stream().filter(ControlMessage::hasKeepAlive).count() == asked);
    }
    assertThat(agent.lost).isEmpty();
    agent.client().pathSilent("eth9", Remote.of(new InetSocketAddress(TestAgent.HERE, 1)));
    agent.client().linksChanged(List.of(link("eth9", 9, "192.0.2.9")));
    await().until(() -> agent.welcomed.size() == 2);
    agent.client().pathSilent("lo", Remote.of(new InetSocketAddress(TestAgent.HERE, 1)));
    await().until(() -> agent.welcomed.size() == 3);
    assertThat(agent.lost)
        .containsExactly(ControlFailure.NETWORK_CHANGED, ControlFailure.NETWORK_CHANGED);
  }

  @Test
  void threeKeepAlivesWithoutAnswerEndTheConnection() throws Exception {
    serve(TestSnapt::welcomeAll); // answers no keep-alive
    connect("snapt-1", Duration.ofMillis(100));
    await().until(() -> agent.lost.contains(ControlFailure.KEEP_ALIVE_LOST));
    assertThat(snapt.received.stream().filter(ControlMessage::hasKeepAlive)).hasSizeGreaterThan(2);
  }

  @Test
  void keepAlivesAreAnsweredBothWays() throws Exception {
    serve((to, message) -> {
      TestSnapt.welcomeAll(to, message);
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
    assertThat(agent.lost).isEmpty();
  }

  @Test
  void aNewerTokenIsShownOnTheOpenConnection() throws Exception {
    serve((to, message) -> {
      TestSnapt.welcomeAll(to, message);
      if (message.hasTokenUpdate()) {
        to.send(
            ControlMessage.newBuilder()
                .setTokenAccepted(TokenAccepted.newBuilder().setExpiresMs(777)));
      }
    });
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    agent.client().present(new byte[] {9}, List.of(), Map.of());
    await().until(() -> agent.tokensAccepted.contains(777L));
    assertThat(agent.lost).isEmpty();
  }

  @Test
  void theDeviceSaysThatItKnowsCreditNoticesAndTakesThem() throws Exception {
    CreditNotice notice = CreditNotice.newBuilder().setState(CreditNotice.State.EXHAUSTED).build();
    serve((to, message) -> {
      TestSnapt.welcomeAll(to, message);
      if (message.getHello().getFeaturesList().contains(Feature.CREDIT_NOTICES)) {
        to.send(ControlMessage.newBuilder().setCreditNotice(notice));
      }
    });
    connect("snapt-1");
    await().until(() -> agent.creditNotices.contains(notice));
    assertThat(agent.lost).isEmpty();
  }

  @Test
  void afterThreeFailuresTheNextSnaptOfTheListIsAsked() throws Exception {
    serve((to, message) -> to.close());
    try (TestSnapt second =
        new TestSnapt(
            TestSnapt.certificate(agent.authority, "snapt-2", HERE),
            ControlFrame.ALPN,
            (to, message) -> {
              if (message.hasHello()) {
                to.send(
                    ControlMessage.newBuilder()
                        .setWelcome(
                            welcome("s9", false).getWelcome().toBuilder().setSnaptId("snapt-2")));
              }
            })) {
      connect("snapt-1", Duration.ofSeconds(10), new Snapt("snapt-2", HERE, second.port()));
      await().until(() -> agent.welcomed.size() == 1);
      assertThat(agent.welcomed.peek().snapt().id()).isEqualTo("snapt-2");
      assertThat(agent.lost).hasSizeGreaterThanOrEqualTo(Candidates.ATTEMPTS_MAX);
    }
  }

  @Test
  void whatBreaksTheProtocolEndsTheConnectionAndIsCounted() throws Exception {
    serve((to, message) -> {
      switch ((int) (agent.client().counts().failures(ControlFailure.MALFORMED) % 5)) {
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
    await().until(() -> agent.client().counts().failures(ControlFailure.MALFORMED) >= 5);
    assertThat(agent.welcomed).isEmpty();
    assertThat(agent.lost).containsOnly(ControlFailure.MALFORMED);
  }

  @Test
  void nobodyThereIsUnreachableAndTriedAgain() throws Exception {
    serve(TestSnapt::welcomeAll);
    snapt.close();
    connect("snapt-1");
    await().until(() -> agent.client().counts().failures(ControlFailure.UNREACHABLE) >= 3);
  }

  @Test
  void aGoodbyeOfTheSnaptBeginsANewSession() throws Exception {
    serve(TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    snapt
        .clients
        .peek()
        .send(
            ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("maintenance")));
    await().until(() -> agent.welcomed.size() == 2);
    assertThat(agent.lost).containsExactly(ControlFailure.GOODBYE);
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
    serve(TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    agent.client().close("device stops");
    await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasGoodbye));
  }

  private static Relay relay(String id, int port, Relay.State state) {
    return Relay.newBuilder()
        .setSnaptId(id)
        .setHost(HERE)
        .setControlPort(port)
        .setState(state)
        .setLoadPercent(40)
        .build();
  }

  private static ControlMessage.Builder relays(boolean complete, Relay... all) {
    return ControlMessage.newBuilder()
        .setRelays(RelayList.newBuilder().addAllRelays(List.of(all)).setComplete(complete));
  }

  @Test
  void aDrainingSnaptIsLeftForAnotherOneOnlyAfterItsWelcome() throws Exception {
    serve(TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    agent.client().moveOn("no other one is known");
    snapt.clients.peek().send(relays(false, relay("snapt-1", snapt.port(), Relay.State.DRAINING)));
    await().until(() -> agent.told.contains("true 40"));
    assertThat(snapt.received).noneMatch(ControlMessage::hasGoodbye);
    try (TestSnapt other =
        new TestSnapt(
            TestSnapt.certificate(agent.authority, "snapt-1", HERE),
            ControlFrame.ALPN,
            TestSnapt::welcomeAll)) {
      snapt
          .clients
          .peek()
          .send(
              relays(
                  true,
                  relay("snapt-1", snapt.port(), Relay.State.DRAINING),
                  relay("", other.port(), Relay.State.SERVING)));
      await()
          .until(() -> agent.listed.stream().anyMatch(each -> each.controlPort() == other.port()));
      agent.client().moveOn("it drains");
      await().until(() -> agent.welcomed.size() == 2);
      await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasGoodbye));
      assertThat(other.received.peek().getHello().getResumeSessionId()).isEmpty();
      assertThat(agent.lost).isEmpty();
      other.clients.peek().send(relays(false, relay("snapt-1", 1, Relay.State.SERVING)));
      await().until(() -> agent.told.contains("false 40"));
    }
  }

  private static ControlMessage.Builder moved(long number, int port, boolean isDone) {
    return ControlMessage.newBuilder()
        .setMoved(
            Moved.newBuilder()
                .setNumber(number)
                .setTo(relay("snapt-2", port, Relay.State.SERVING))
                .setDone(isDone));
  }

  private static ControlMessage.Builder welcomeOfMove(long number) {
    return ControlMessage.newBuilder()
        .setWelcome(otherWelcome().getWelcome().toBuilder().setMovedNumber(number));
  }

  /// Connects, and hands the session over to another SNAPT.
  private void move(TestSnapt other) throws Exception {
    serve(TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    agent.mayLeave = false; // flows are open
    snapt
        .clients
        .peek()
        .send(
            relays(
                true,
                relay("snapt-1", snapt.port(), Relay.State.DRAINING),
                relay("snapt-2", other.port(), Relay.State.SERVING)));
    await().until(() -> agent.listed.stream().anyMatch(each -> each.id().equals("snapt-2")));
    snapt.clients.peek().send(moved(9, other.port(), false));
  }

  @Test
  void aSessionThatIsHandedOverGoesToTheNamedSnaptAndTheOldOneIsLeftWhenItIsDone()
      throws Exception {
    try (TestSnapt other =
        other((to, message) -> {
          if (message.hasHello()) {
            to.send(welcomeOfMove(9));
          }
        })) {
      move(other);
      await().until(() -> agent.welcomed.size() == 2);
      assertThat(agent.welcomed)
          .last()
          .satisfies(by -> assertThat(by.snapt().id()).isEqualTo("snapt-2"));
      assertThat(other.received.peek().getHello().getMovedNumber()).isEqualTo(9);
      assertThat(snapt.received).noneMatch(ControlMessage::hasGoodbye);
      assertThat(snapt.clients.peek().isOpen()).isTrue();
      snapt.clients.peek().send(moved(9, other.port(), true));
      await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasGoodbye));
      assertThat(agent.lost).isEmpty();
    }
  }

  private static void resumeMove(TestSnapt.Client to, ControlMessage message) {
    if (message.hasHello()) {
      boolean resumes = message.getHello().getResumeSessionId().equals("s9");
      to.send(
          ControlMessage.newBuilder()
              .setWelcome(
                  welcome("s9", resumes).getWelcome().toBuilder()
                      .setSnaptId("snapt-2")
                      .setMovedNumber(9)));
    }
  }

  @Test
  void aSessionGoesOnAtTheOldSnaptWhenTheNewOneDiesBeforeItHasIt() throws Exception {
    try (TestSnapt other = other(ControlClientTest::resumeMove)) {
      move(other);
      await().until(() -> agent.welcomed.size() == 2);
      other.close();
      await().until(() -> agent.turnedBack.size() == 1);
      assertThat(agent.turnedBack.peek().welcome().getSessionId()).isEqualTo("s1");
      assertThat(agent.client().counts().movesTurnedBack()).isEqualTo(1);
      assertThat(agent.lost).as("the device is connected").isEmpty();
      agent.client().present(new byte[] {9}, List.of(), Map.of());
      await("by its connection")
          .until(() -> snapt.received.stream().anyMatch(ControlMessage::hasTokenUpdate));
      assertThat(snapt.received).noneMatch(ControlMessage::hasGoodbye);
      snapt.clients.peek().close();
      await("which is made again").until(() -> agent.welcomed.size() == 3);
      assertThat(agent.welcomed)
          .last()
          .satisfies(by -> assertThat(by.welcome().getSessionId()).isEqualTo("s1"));
    }
  }

  @Test
  void aSessionGoesOnAtTheOldSnaptWhenTheNewOneSaysGoodbyeBeforeItIsDone() throws Exception {
    try (TestSnapt other = other(ControlClientTest::resumeMove)) {
      move(other);
      await().until(() -> agent.welcomed.size() == 2);
      other
          .clients
          .peek()
          .send(
              ControlMessage.newBuilder()
                  .setGoodbye(Goodbye.newBuilder().setReason("NOT_TAKEN_OVER")));
      await().until(() -> agent.turnedBack.size() == 1);
      snapt.clients.peek().send(moved(10, other.port(), false));
      await("the next attempt").until(() -> other.clients.size() == 2);
    }
  }

  @Test
  void aDeviceThatHasTurnedBackGoesOnWithTheSessionThatWasTakenNevertheless() throws Exception {
    try (TestSnapt other = other(ControlClientTest::resumeMove)) {
      move(other);
      await().until(() -> agent.welcomed.size() == 2);
      other.clients.peek().close();
      await().until(() -> agent.turnedBack.size() == 1);
      snapt.clients.peek().send(moved(9, other.port(), true));
      await().until(() -> agent.welcomed.size() == 3);
      assertThat(agent.welcomed)
          .last()
          .satisfies(by -> {
            assertThat(by.welcome().getSessionId()).isEqualTo("s9");
            assertThat(by.welcome().getResumed()).isTrue();
          });
      await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasGoodbye));
      assertThat(agent.lost).isEmpty();
    }
  }

  @Test
  void anEndOfTheNewSnaptAfterItIsDoneIsThatOfASnaptThatDies() throws Exception {
    try (TestSnapt other = other(ControlClientTest::resumeMove)) {
      move(other);
      await().until(() -> agent.welcomed.size() == 2);
      snapt.clients.peek().send(moved(9, other.port(), true));
      await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasGoodbye));
      other.clients.peek().close();
      await().until(() -> agent.welcomed.size() == 3);
      assertThat(agent.lost).containsExactly(ControlFailure.CLOSED);
      assertThat(agent.turnedBack).isEmpty();
    }
  }

  @Test
  void aSessionThatTheOtherSnaptHasNotTakenOverStaysWhereItIs() throws Exception {
    try (TestSnapt other =
        other((to, message) -> {
          if (message.hasHello()) {
            to.send(welcomeOfMove(0));
          }
        })) {
      move(other);
      await().until(() -> other.received.stream().anyMatch(ControlMessage::hasGoodbye));
      assertThat(agent.welcomed).hasSize(1);
      assertThat(snapt.clients.peek().isOpen()).isTrue();
      assertThat(snapt.received).noneMatch(ControlMessage::hasGoodbye);
    }
  }

  @Test
  void theReasonAfterAHandOverThatHasFailedIsNotThatItWasDone() throws Exception {
    try (TestSnapt other =
        other((to, message) -> {
          if (message.hasHello()) {
            agent.mayLeave = true; // the last flow ends meanwhile
            to.send(welcomeOfMove(0));
          }
        })) {
      move(other);
      await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasGoodbye));
      assertThat(snapt.received)
          .filteredOn(ControlMessage::hasGoodbye)
          .allMatch(each -> each.getGoodbye().getReason().contains("hand-over has failed"));
    }
  }

  @Test
  void aSessionIsNotHandedOverToASnaptThatTheDeviceMayNotUse() throws Exception {
    serve(TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    snapt.clients.peek().send(moved(9, 1, false));
    await().until(() -> agent.client().counts().movesRefused() == 1);
    assertThat(snapt.clients.peek().isOpen()).isTrue();
  }

  private TestSnapt other(BiConsumer<TestSnapt.Client, ControlMessage> answers) throws Exception {
    return new TestSnapt(
        TestSnapt.certificate(agent.authority, "snapt-2", HERE), ControlFrame.ALPN, answers);
  }

  private static ControlMessage.Builder otherWelcome() {
    return ControlMessage.newBuilder()
        .setWelcome(welcome("s9", false).getWelcome().toBuilder().setSnaptId("snapt-2"));
  }

  /// Connects to a SNAPT that drains, and begins to leave it for the other one.
  private void leaveFor(TestSnapt other) throws Exception {
    serve(TestSnapt::welcomeAll);
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    snapt
        .clients
        .peek()
        .send(
            relays(
                true,
                relay("snapt-1", snapt.port(), Relay.State.DRAINING),
                relay("snapt-2", other.port(), Relay.State.SERVING).toBuilder()
                    .setStateValue(7) // of a later version: it serves
                    .build()));
    await().until(() -> agent.listed.stream().anyMatch(each -> each.id().equals("snapt-2")));
    agent.client().moveOn("it drains");
  }

  @Test
  void aSessionThatIsToBeLeftIsKeptWhileTheOtherSnaptRefuses() throws Exception {
    AtomicBoolean refuses = new AtomicBoolean(true);
    try (TestSnapt other =
        other((to, message) -> {
          if (message.hasHello()) {
            to.send(
                refuses.get()
                    ? ControlMessage.newBuilder()
                        .setRefusal(Refusal.newBuilder().setCode(RefusalCode.RECEIPTS_OWED))
                    : otherWelcome());
          }
        })) {
      leaveFor(other);
      await().until(() -> agent.client().counts().failures(ControlFailure.REFUSED) >= 2);
      agent.client().present(new byte[] {9}, List.of(), Map.of());
      await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasTokenUpdate));
      assertThat(agent.lost).isEmpty();
      assertThat(snapt.clients).hasSize(1);
      refuses.set(false);
      await().until(() -> agent.welcomed.size() == 2);
      await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasGoodbye));
      assertThat(agent.lost).isEmpty();
    }
  }

  @Test
  void aSessionThatSeeksOneSnaptStaysWhenThatOneRefusesAndNeverAsksAnother() throws Exception {
    agent.isSpare = true;
    try (TestSnapt full =
            other((to, message) -> {
              if (message.hasHello()) {
                to.send(
                    ControlMessage.newBuilder()
                        .setRefusal(Refusal.newBuilder().setCode(RefusalCode.SESSIONS_EXHAUSTED)));
              }
            });
        TestSnapt third = other(TestSnapt::welcomeAll)) {
      serve(TestSnapt::welcomeAll);
      Snapt nearer = new Snapt("snapt-2", HERE, full.port());
      connect("snapt-1", Duration.ofSeconds(10), nearer, new Snapt("snapt-3", HERE, third.port()));
      await().until(() -> agent.welcomed.size() == 1);
      agent.client().moveTo(nearer, "it is nearer");
      await().until(() -> agent.timesNotTaken == 1);
      assertThat(agent.client().counts().failures(ControlFailure.REFUSED)).isEqualTo(1);
      agent.client().moveTo(new Snapt("snapt-9", HERE, 9), "no list has it");
      await().until(() -> agent.timesNotTaken == 2);
      assertThat(agent.rested).isEmpty();
      assertThat(agent.lost).isEmpty();
      assertThat(agent.welcomed).hasSize(1);
      assertThat(third.clients).isEmpty();
      assertThat(agent.<Boolean>onLoop(() -> agent.client().isMoving())).isFalse();
    }
  }

  @Test
  void aFlowThatBeginsBeforeTheWelcomeOfTheOtherSnaptKeepsTheSession() throws Exception {
    try (TestSnapt other =
        other((to, message) -> {
          if (message.hasHello()) {
            agent.mayLeave = false;
            to.send(otherWelcome());
          }
        })) {
      leaveFor(other);
      await().until(() -> other.received.stream().anyMatch(ControlMessage::hasGoodbye));
      assertThat(agent.welcomed).hasSize(1);
      assertThat(snapt.received).noneMatch(ControlMessage::hasGoodbye);
      assertThat(agent.lost).isEmpty();
      agent.client().present(new byte[] {9}, List.of(), Map.of());
      await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasTokenUpdate));
    }
  }

  @Test
  void theEndOfAConnectionThatIsToBeLeftIsToldAndTheOtherSnaptGoesOn() throws Exception {
    try (TestSnapt other = other((_, _) -> {})) {
      leaveFor(other);
      await().until(() -> other.received.stream().anyMatch(ControlMessage::hasHello));
      agent.client().present(new byte[] {9}, List.of(), Map.of());
      await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasTokenUpdate));
      snapt.clients.peek().close();
      await().until(() -> agent.lost.contains(ControlFailure.CLOSED));
      other.clients.peek().send(otherWelcome());
      await().until(() -> agent.welcomed.size() == 2);
      assertThat(agent.lost).hasSize(1);
    }
  }

  @Test
  void aDrainedSnaptIsLeftWithoutAnotherOneOnlyIfOthersCarryAndTakenAgainWhenItServes()
      throws Exception {
    AtomicBoolean drains = new AtomicBoolean();
    serve((to, message) -> {
      if (message.hasHello() && drains.get()) {
        to.send(
            ControlMessage.newBuilder()
                .setRefusal(Refusal.newBuilder().setCode(RefusalCode.DRAINING)));
      } else {
        TestSnapt.welcomeAll(to, message);
      }
    });
    connect("snapt-1");
    await().until(() -> agent.welcomed.size() == 1);
    drains.set(true);
    agent.client().moveOn("it drains");
    agent.client().present(new byte[] {9}, List.of(), Map.of());
    await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasTokenUpdate));
    assertThat(agent.rested).as("it is the only one").isEmpty();
    agent.isSpare = true;
    agent.client().moveOn("it drains");
    agent.client().listed(List.of(new Snapt("snapt-8", "elsewhere.invalid", 443)));
    await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasGoodbye));
    assertThat(agent.rested).containsExactly("it drains");
    Snapt itself = new Snapt("snapt-1", HERE, snapt.port());
    agent.client().present(new byte[] {10}, List.of(), Map.of());
    await().until(() -> agent.client().counts().failures(ControlFailure.HOST_UNKNOWN) > 0);
    assertThat(snapt.clients).as("it is asked once more at most").hasSizeLessThanOrEqualTo(2);
    agent.client().listed(List.of(itself));
    await().until(() -> agent.client().counts().refusals(RefusalCode.DRAINING) >= 1);
    drains.set(false);
    agent.client().listed(List.of(itself));
    await().until(() -> agent.welcomed.size() == 2);
    assertThat(agent.welcomed).last().matches(each -> !each.welcome().getResumed());
  }

  @Test
  void aSnaptWhoseDrainWasOverBeforeAListToldOfItIsUsedAgain() throws Exception {
    AtomicBoolean drains = new AtomicBoolean();
    serve((to, message) -> {
      if (message.hasHello() && drains.get()) {
        to.send(
            ControlMessage.newBuilder()
                .setRefusal(Refusal.newBuilder().setCode(RefusalCode.DRAINING)));
      } else {
        TestSnapt.welcomeAll(to, message);
      }
    });
    connect("snapt-1", Duration.ofSeconds(10), new Snapt("snapt-1", HERE, snapt.port()));
    await().until(() -> agent.welcomed.size() == 1);
    agent.isSpare = true;
    drains.set(true);
    agent.client().moveOn("it drains");
    await().until(() -> agent.client().counts().refusals(RefusalCode.DRAINING) >= 2);
    assertThat(agent.rested).containsExactly("it drains");
    drains.set(false);
    await().until(() -> agent.welcomed.size() == 2);
  }

  @Test
  void aStopWhileASnaptIsLeftEndsBothConnections() throws Exception {
    try (TestSnapt other = other((_, _) -> {})) {
      leaveFor(other);
      await().until(() -> other.received.stream().anyMatch(ControlMessage::hasHello));
      agent.client().close("device stops");
      await().until(() -> snapt.received.stream().anyMatch(ControlMessage::hasGoodbye));
      await().until(() -> other.clients.stream().noneMatch(TestSnapt.Client::isOpen));
      assertThat(agent.welcomed).hasSize(1);
    }
  }

  @Test
  void aListBeforeTheWelcomeEndsTheConnection() throws Exception {
    serve((to, message) -> to.send(relays(true)));
    connect("snapt-1");
    await().until(() -> agent.lost.contains(ControlFailure.MALFORMED));
    assertThat(agent.details.peek()).contains("RELAYS before Welcome");
  }
}
