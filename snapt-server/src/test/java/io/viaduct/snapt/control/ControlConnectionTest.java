package io.viaduct.snapt.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.viaduct.service.logging.CapturedLog;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestIssuer;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.RelayList;
import io.viaduct.tunnel.control.v1.TokenUpdate;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SnaptState;
import java.net.Socket;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Tests the admission and refusal of sessions, over real TLS.
class ControlConnectionTest {
  @TempDir Path folder;
  private static TestOperator operator;
  private TestSnapt snapt;
  private ControlStand stand;
  private final KeyPair device = Ed25519.generate();

  @BeforeAll
  static void issue(@TempDir Path shared) throws Exception {
    operator = new TestOperator(shared.resolve("pki"));
  }

  @BeforeEach
  void start() throws Exception {
    stand = new ControlStand(operator, folder, 4);
    snapt = stand.snapt;
  }

  @AfterEach
  void stop() {
    stand.close();
  }

  private TestControl connect() throws Exception {
    return stand.connect();
  }

  private ByteString token(String account) throws Exception {
    return stand.token(account, device);
  }

  private Welcome welcome(TestControl control) throws Exception {
    control.send(control.hello(token("alice"), device).build());
    return control.next().getWelcome();
  }

  private void refused(TestControl control, Hello hello, RefusalCode code) throws Exception {
    control.send(hello);
    assertThat(control.next().getRefusal().getCode()).isEqualTo(code);
    assertThat(control.isClosedWithin(5)).isTrue();
    assertThat(snapt.control.refusals().of(code)).isEqualTo(1);
    assertThat(snapt.registry.size()).isZero();
  }

  @Test
  void aValidHelloIsWelcomedWithKeysAndTerms() throws Exception {
    Welcome welcome = welcome(connect());
    assertThat(welcome.getSecret().size()).isEqualTo(32);
    assertThat(welcome.getResumed()).isFalse();
    assertThat(welcome.getAead()).isEqualTo(Aead.AES_256_GCM);
    assertThat(welcome.getDataPort()).isEqualTo(snapt.dataAddress.getPort());
    assertThat(welcome.getEpoch()).isEqualTo(7);
    assertThat(welcome.getReportIntervalMs()).isEqualTo(30_000);
    assertThat(snapt.registry.size()).isEqualTo(1);
  }

  @Test
  void aDeviceOfTheVersionBeforeNamesNoNumberOfPathsAndGetsOne() throws Exception {
    TestControl control = connect();
    control.send(
        control.hello(token("alice"), device).addAllFeatures(TunnelLimits.FEATURES).build());
    Welcome welcome = control.next().getWelcome();
    assertThat(welcome.getPaths()).isEqualTo(1);
    assertThat(welcome.getFeaturesList())
        .as("none that needs several paths")
        .containsExactlyInAnyOrder(Feature.WAITING_TIMES, Feature.PATH_TRIALS);
  }

  @Test
  void aDeviceGetsThePathsThatItNamesAndEightAtMost() throws Exception {
    int[][] cases = {{3, 3}, {8, 8}, {200, 8}, {-5, 1}};
    for (int[] each : cases) {
      TestControl control = connect();
      control.send(control.hello(token("alice"), device).setPaths(each[0]).build());
      assertThat(control.next().getWelcome().getPaths()).isEqualTo(each[1]);
      control.close();
    }
  }

  @Test
  void noDeviceIsWelcomedBeforeTheDataPathHoldsItsSession() throws Exception {
    CompletableFuture<Void> holding = new CompletableFuture<>();
    snapt.holdDataPath(holding);
    try {
      TestControl control = connect();
      control.send(control.hello(token("alice"), device).build());
      control.send(
          ControlMessage.newBuilder().setKeepAlive(KeepAlive.newBuilder().setNumber(1)).build());
      await().until(() -> snapt.control.ends().of(ConnectionEnd.UNEXPECTED_MESSAGE) == 1);
      assertThat(snapt.registry.size()).as("its session waits for it").isEqualTo(1);
      assertThat(control.isClosedWithin(5)).isTrue();
      assertThat(control.received).as("a Welcome").isEmpty();
    } finally {
      holding.complete(null);
    }
    assertThat(welcome(connect()).getSecret().size()).isEqualTo(32);
  }

  @Test
  void aForgedTokenIsRefused() throws Exception {
    TestControl control = connect();
    ByteString forged =
        new TestIssuer().sign(TestOperator.token("alice", device).build().toByteString());
    refused(control, control.hello(forged, device).build(), RefusalCode.TOKEN_FORGED);
  }

  @Test
  void aTokenOfAnUnknownKeyIsRefused() throws Exception {
    TestControl control = connect();
    ByteString forged =
        new TestIssuer(Ed25519.generate(), "k2")
            .sign(TestOperator.token("alice", device).build().toByteString());
    refused(control, control.hello(forged, device).build(), RefusalCode.TOKEN_FORGED);
  }

  @Test
  void anExpiredTokenIsRefused() throws Exception {
    TestControl control = connect();
    ByteString old =
        operator.sign(
            TestOperator.token("alice", device)
                .setExpiresMs(System.currentTimeMillis() - 1)
                .build());
    refused(control, control.hello(old, device).build(), RefusalCode.TOKEN_EXPIRED);
  }

  @Test
  void aTokenThatIsNotYetValidIsRefused() throws Exception {
    TestControl control = connect();
    ByteString early =
        operator.sign(
            TestOperator.token("alice", device)
                .setNotBeforeMs(System.currentTimeMillis() + 60_000)
                .build());
    refused(control, control.hello(early, device).build(), RefusalCode.TOKEN_NOT_YET_VALID);
  }

  @Test
  void aTokenForAnotherAudienceIsRefused() throws Exception {
    TestControl control = connect();
    ByteString foreign =
        operator.sign(TestOperator.token("alice", device).setAudience("others").build());
    refused(control, control.hello(foreign, device).build(), RefusalCode.TOKEN_AUDIENCE);
  }

  @Test
  void aStolenTokenIsWorthNothingWithoutTheDevicesKey() throws Exception {
    TestControl control = connect();
    refused(
        control,
        control.hello(token("alice"), Ed25519.generate()).build(),
        RefusalCode.PROOF_INVALID);
  }

  @Test
  void aProofOfAnotherConnectionIsRefused() throws Exception {
    ByteString overheard = connect().proof(device);
    TestControl control = connect();
    refused(
        control,
        control.hello(token("alice"), device).setProof(overheard).build(),
        RefusalCode.PROOF_INVALID);
  }

  static Stream<Arguments> wrongHellos() {
    return Stream.of(
        wrong(RefusalCode.VERSION_UNSUPPORTED, hello -> hello.setVersion(2)),
        wrong(RefusalCode.TOKEN_MALFORMED, hello -> hello.setToken(ByteString.copyFromUtf8("x"))),
        wrong(
            RefusalCode.TOKEN_MALFORMED,
            hello -> hello.setToken(ByteString.copyFrom(new byte[5_000]))),
        wrong(RefusalCode.PROOF_INVALID, hello -> hello.setProof(ByteString.EMPTY)),
        wrong(RefusalCode.AEAD_UNSUPPORTED, Hello.Builder::clearAeads),
        wrong(RefusalCode.HELLO_MALFORMED, hello -> hello.setPathMtu(500)),
        wrong(RefusalCode.HELLO_MALFORMED, hello -> hello.setReceiverIndex(1 << 24)),
        wrong(RefusalCode.HELLO_MALFORMED, hello -> hello.clearInnerIpv4().clearInnerIpv6()),
        wrong(
            RefusalCode.HELLO_MALFORMED,
            hello -> hello.setInnerIpv4(ByteString.copyFrom(new byte[] {127, 0, 0, 1}))),
        wrong(
            RefusalCode.HELLO_MALFORMED,
            hello -> hello.setInnerIpv6(ByteString.copyFrom(new byte[15]))),
        wrong(RefusalCode.HELLO_MALFORMED, hello -> hello.addApplications("a".repeat(41))),
        wrong(RefusalCode.HELLO_MALFORMED, hello -> hello.addApplications("My Web")),
        wrong(RefusalCode.HELLO_MALFORMED, hello -> hello.addApplications("line\nbreak")));
  }

  private static Arguments wrong(RefusalCode code, UnaryOperator<Hello.Builder> change) {
    return Arguments.of(code, change);
  }

  @ParameterizedTest
  @MethodSource("wrongHellos")
  void aHelloThatBreaksARuleIsRefusedWithItsCode(
      RefusalCode code, UnaryOperator<Hello.Builder> change) throws Exception {
    TestControl control = connect();
    refused(control, change.apply(control.hello(token("alice"), device)).build(), code);
  }

  @Test
  void malformedFramesEndTheConnectionAndAreCounted() throws Exception {
    byte[][] frames = {
      {1, 0, 0, 1, 0}, // reserved type
      {0, 1, 0, 0}, // 65536 bytes announced
      {0, 0, 0, 2, 0x7f, 0x7f}, // no protobuf
      {0, 0, 0, 0} // no message
    };
    for (byte[] frame : frames) {
      TestControl control = connect();
      control.sendBytes(frame);
      assertThat(control.isClosedWithin(5)).isTrue();
      control.close();
    }
    assertThat(snapt.control.ends().of(ConnectionEnd.FRAME_MALFORMED)).isEqualTo(4);
  }

  @Test
  void aMessageBeforeHelloEndsTheConnection() throws Exception {
    TestControl control = connect();
    control.send(
        ControlMessage.newBuilder().setKeepAlive(KeepAlive.newBuilder().setNumber(1)).build());
    assertThat(control.isClosedWithin(5)).isTrue();
    assertThat(snapt.control.ends().of(ConnectionEnd.UNEXPECTED_MESSAGE)).isEqualTo(1);
  }

  @Test
  void aSilentConnectionIsClosedInTime() throws Exception {
    try (Socket silent =
        new Socket(snapt.controlAddress.getAddress(), snapt.controlAddress.getPort())) {
      silent.setSoTimeout(8_000);
      while (silent.getInputStream().read() >= 0) {
        // a TLS alert may arrive first
      }
    } catch (java.net.SocketException _) {
      // a reset also closes the connection
    }
    await().until(() -> snapt.control.connections() == 0);
  }

  @Test
  void oneAddressGetsSoManyConnectionsAndNoMore() throws Exception {
    TestControl first = connect();
    for (int i = 1; i < 4; i++) {
      connect();
    }
    assertThatThrownBy(this::connect).isInstanceOf(Exception.class);
    assertThat(snapt.control.ends().of(ConnectionEnd.CONNECTIONS_PER_ADDRESS_MAX)).isEqualTo(1);
    first.close();
    await().until(() -> snapt.control.connections() == 3);
    connect();
  }

  @Test
  void aSnaptOfAnotherAuthorityIsNotTrustedByADevice() throws Exception {
    TestOperator other = new TestOperator(folder.resolve("other"));
    try (CapturedLog said = CapturedLog.of("io.viaduct.service.tls")) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> new TestControl(snapt.controlAddress, other.trust()))
            .hasMessageContaining("certif");
      }
      await().until(() -> snapt.control.ends().of(ConnectionEnd.TLS_FAILED) == 3);
      assertThat(said.lines(""))
          .as("one line per peer and minute")
          .singleElement()
          .asString()
          .startsWith("control connections: TLS with 127.0.0.1:")
          .contains("refuses the certificate", "TLS alert ")
          .hasLineCount(1);
    }
  }

  @Test
  void aConnectionForAnotherApplicationProtocolIsRefused() throws Exception {
    assertThatThrownBy(() -> new TestControl(snapt.controlAddress, operator.trust(), "h2"))
        .isInstanceOf(Exception.class);
    await().until(() -> snapt.control.connections() == 0);
    assertThat(snapt.control.ends().of(ConnectionEnd.TLS_FAILED)).isEqualTo(1);
  }

  @Test
  void aResumedSessionKeepsItsKeysAndTheOldConnectionIsToldSo() throws Exception {
    TestControl first = connect();
    Welcome opened = welcome(first);
    TestControl second = connect();
    second.send(
        second.hello(token("alice"), device).setResumeSessionId(opened.getSessionId()).build());
    Welcome resumed = second.next().getWelcome();
    assertThat(resumed.getResumed()).isTrue();
    assertThat(resumed.getSecret()).isEmpty();
    assertThat(resumed.getSessionId()).isEqualTo(opened.getSessionId());
    assertThat(resumed.getReceiverIndex()).isEqualTo(opened.getReceiverIndex());
    assertThat(first.next().hasGoodbye()).isTrue();
    assertThat(first.isClosedWithin(5)).isTrue();
    assertThat(snapt.registry.size()).isEqualTo(1);
  }

  @Test
  void anUnknownSessionToResumeIsANewSession() throws Exception {
    TestControl control = connect();
    control.send(
        control.hello(token("alice"), device).setResumeSessionId("no such session").build());
    assertThat(control.next().getWelcome().getResumed()).isFalse();
  }

  @Test
  void nobodyResumesASessionOfAnotherAccountOrDevice() throws Exception {
    Welcome opened = welcome(connect());
    TestControl bob = connect();
    bob.send(bob.hello(token("bob"), device).setResumeSessionId(opened.getSessionId()).build());
    assertThat(bob.next().getRefusal().getCode()).isEqualTo(RefusalCode.SESSION_ACCOUNT_MISMATCH);
    KeyPair other = Ed25519.generate();
    TestControl thief = connect();
    thief.send(
        thief
            .hello(operator.sign(TestOperator.token("alice", other).build()), other)
            .setResumeSessionId(opened.getSessionId())
            .build());
    assertThat(thief.next().getRefusal().getCode()).isEqualTo(RefusalCode.SESSION_ACCOUNT_MISMATCH);
    assertThat(snapt.registry.size()).isEqualTo(1);
  }

  @Test
  void aSecondSessionOfTheSameDeviceEndsTheFirstAndGetsItsAddress() throws Exception {
    welcome(connect());
    await().until(() -> snapt.relay.status().get().size() == 1);
    int slot = snapt.onlySession().slot();
    welcome(connect());
    await().until(() -> snapt.registry.ends().of(SessionEnd.SUPERSEDED) == 1);
    await().until(() -> snapt.relay.status().get().size() == 1);
    assertThat(snapt.onlySession().slot()).isEqualTo(slot);
    assertThat(snapt.reports).hasSize(1).first().matches(report -> report.getLast());
  }

  @Test
  void aTokenUpdateCarriesTheSessionOverTheExpiry() throws Exception {
    TestControl control = connect();
    long soonMs = System.currentTimeMillis() + 1_500;
    ByteString brief =
        operator.sign(TestOperator.token("alice", device).setExpiresMs(soonMs).build());
    control.send(control.hello(brief, device).build());
    assertThat(control.next().hasWelcome()).isTrue();
    control.send(
        ControlMessage.newBuilder()
            .setTokenUpdate(
                TokenUpdate.newBuilder().setToken(token("alice")).setProof(control.proof(device)))
            .build());
    assertThat(control.next().hasTokenAccepted()).isTrue();
    assertThat(control.isClosedWithin(3)).isFalse();
    assertThat(snapt.registry.size()).isEqualTo(1);
  }

  @Test
  void aTokenUpdateOfAnotherAccountIsRefused() throws Exception {
    TestControl control = connect();
    welcome(control);
    control.send(
        ControlMessage.newBuilder()
            .setTokenUpdate(
                TokenUpdate.newBuilder().setToken(token("bob")).setProof(control.proof(device)))
            .build());
    assertThat(control.next().getRefusal().getCode())
        .isEqualTo(RefusalCode.SESSION_ACCOUNT_MISMATCH);
    assertThat(snapt.onlySession().account()).isEqualTo("alice");
  }

  @Test
  void anExpiredSessionEndsWithGoodbyeAndItsLastReport() throws Exception {
    TestControl control = connect();
    ByteString brief =
        operator.sign(
            TestOperator.token("alice", device)
                .setExpiresMs(System.currentTimeMillis() + 1_000)
                .build());
    control.send(control.hello(brief, device).build());
    assertThat(control.next().hasWelcome()).isTrue();
    assertThat(control.next().getGoodbye().getReason()).isEqualTo("TOKEN_EXPIRED");
    assertThat(control.isClosedWithin(5)).isTrue();
    await().until(() -> snapt.reports.size() == 1);
    assertThat(snapt.registry.ends().of(SessionEnd.TOKEN_EXPIRED)).isEqualTo(1);
  }

  @Test
  void keepAlivesAreEchoedAndThreeLostOnesEndTheConnectionButNotTheSession() throws Exception {
    TestControl control = connect();
    control.answering = false;
    welcome(control);
    control.send(
        ControlMessage.newBuilder().setKeepAlive(KeepAlive.newBuilder().setNumber(42)).build());
    ControlMessage echo = control.received.poll(5, TimeUnit.SECONDS);
    while (echo != null && !echo.getKeepAlive().getReply()) {
      echo = control.received.poll(5, TimeUnit.SECONDS);
    }
    assertThat(echo).isNotNull();
    assertThat(echo.getKeepAlive().getNumber()).isEqualTo(42);
    assertThat(control.isClosedWithin(8)).isTrue();
    assertThat(snapt.control.ends().of(ConnectionEnd.KEEP_ALIVE_LOST)).isEqualTo(1);
    assertThat(snapt.registry.size()).isEqualTo(1);
  }

  @Test
  void aFullSpoolAndAFullSnaptRefuseNewSessionsOnly() throws Exception {
    Welcome opened = welcome(connect());
    snapt.spoolFull = true;
    KeyPair other = Ed25519.generate();
    TestControl late = connect();
    late.send(late.hello(operator.sign(TestOperator.token("bob", other).build()), other).build());
    assertThat(late.next().getRefusal().getCode()).isEqualTo(RefusalCode.SESSIONS_EXHAUSTED);
    TestControl again = connect();
    again.send(
        again.hello(token("alice"), device).setResumeSessionId(opened.getSessionId()).build());
    assertThat(again.next().getWelcome().getResumed()).isTrue();
  }

  // --- draining, and the list of SNAPTs

  private TestControl knowingLists() throws Exception {
    TestControl control = connect();
    control.send(control.hello(token("alice"), device).addFeatures(Feature.RELAY_LISTS).build());
    Welcome welcome = control.next().getWelcome();
    assertThat(welcome.getFeaturesList()).contains(Feature.RELAY_LISTS);
    return control;
  }

  private static DirectoryEntry other(SnaptState state) {
    return DirectoryEntry.newBuilder()
        .setSnaptId("snapt-2")
        .setHost("relay.test")
        .setControlPort(443)
        .setDataPort(443)
        .setRegion("north")
        .setState(state)
        .setLoadPercent(30)
        .build();
  }

  @Test
  void aDeviceIsToldAtOnceThatItsSnaptDrainsAndKeepsItsSession() throws Exception {
    TestControl control = knowingLists();
    RelayList first = control.next().getRelays();
    assertThat(first.getComplete()).as("it knows only itself").isFalse();
    assertThat(first.getRelaysList())
        .singleElement()
        .extracting(Relay::getState)
        .isEqualTo(Relay.State.SERVING);
    snapt.control.drain().begin(4_000_000_000_000L);
    Relay own = control.next().getRelays().getRelays(0);
    assertThat(own.getState()).isEqualTo(Relay.State.DRAINING);
    assertThat(own.getDrainDeadlineMs()).isEqualTo(4_000_000_000_000L);
    assertThat(own.getControlPort()).isEqualTo(snapt.controlAddress.getPort());
    assertThat(snapt.registry.size()).isEqualTo(1);
    TestControl second = connect();
    second.send(
        second
            .hello(operator.sign(TestOperator.token("bob", Ed25519.generate()).build()), device)
            .build());
    assertThat(second.next().hasRefusal()).isTrue();
    snapt.control.drain().end();
    assertThat(control.next().getRelays().getRelays(0).getState()).isEqualTo(Relay.State.SERVING);
    assertThat(snapt.control.drain().status()).isEqualTo(DrainStatus.SERVING);
  }

  @Test
  void sessionsThatAreLeftEndAtTheDeadline() throws Exception {
    TestControl control = knowingLists();
    assertThat(control.next().hasRelays()).isTrue();
    snapt.control.drain().begin(1);
    assertThat(control.next().hasRelays()).isTrue();
    assertThat(control.next().getGoodbye().getReason()).isEqualTo("DRAINED");
    await().until(() -> snapt.registry.ends().of(SessionEnd.DRAINED) == 1);
  }

  @Test
  void aDeviceThatAsksForItGetsTheDirectoryAsTheBridgeHasSignedIt() throws Exception {
    ByteString signed = ByteString.copyFromUtf8("signed by the bridge");
    snapt.control.relays().told(List.of(other(SnaptState.DRAINING)), signed);
    TestControl control = connect();
    control.send(
        control
            .hello(token("alice"), device)
            .addFeatures(Feature.RELAY_LISTS)
            .addFeatures(Feature.SIGNED_DIRECTORIES)
            .build());
    Welcome welcome = control.next().getWelcome();
    assertThat(welcome.getFeaturesList()).contains(Feature.SIGNED_DIRECTORIES);
    assertThat(welcome.getSignedDirectory()).isEqualTo(signed);
    assertThat(welcome.getRelaysList()).isEmpty();
    RelayList list = control.next().getRelays();
    assertThat(list.getSignedDirectory()).isEqualTo(signed);
    assertThat(list.getRelaysList()).extracting(Relay::getSnaptId).containsExactly("snapt-1");
  }

  @Test
  void theBridgesDirectoryIsToldWithTheOwnStateInIt() throws Exception {
    TestControl control = knowingLists();
    assertThat(control.next().hasRelays()).isTrue();
    DirectoryEntry stale =
        other(SnaptState.SERVING).toBuilder().setSnaptId("snapt-1").setHost("here.test").build();
    snapt.control.relays().told(List.of(stale, other(SnaptState.DRAINING)), ByteString.EMPTY);
    RelayList list = control.next().getRelays();
    assertThat(list.getComplete()).isTrue();
    assertThat(list.getRelaysList())
        .extracting(Relay::getSnaptId)
        .containsExactly("snapt-1", "snapt-2");
    assertThat(list.getRelays(0).getHost()).as("its own word counts").isEqualTo("localhost");
    assertThat(list.getRelays(1).getState()).isEqualTo(Relay.State.DRAINING);
    assertThat(list.getRelays(1).getRegion()).isEqualTo("north");
    assertThat(list.getRelays(1).getLoadPercent()).isEqualTo(30);
    snapt.control.relays().told(List.of(), ByteString.EMPTY);
    snapt.control.relays().told(List.of(stale, other(SnaptState.DRAINING)), ByteString.EMPTY);
    snapt.control.relays().told(List.of(stale, other(SnaptState.SERVING)), ByteString.EMPTY);
    assertThat(control.next().getRelays().getRelays(1).getState())
        .as("nothing is sent without a change")
        .isEqualTo(Relay.State.SERVING);
    DirectoryEntry later =
        other(SnaptState.SERVING).toBuilder().setStateValue(7).setLoadPercent(40).build();
    snapt.control.relays().told(List.of(stale, later), ByteString.EMPTY);
    Relay ofLater = control.next().getRelays().getRelays(1);
    assertThat(ofLater.getLoadPercent()).isEqualTo(40);
    assertThat(ofLater.getState())
        .as("a state of a later version serves")
        .isEqualTo(Relay.State.SERVING);
  }

  @Test
  void aListHas128SnaptsItselfFirstAndTheRestIsCounted() throws Exception {
    List<DirectoryEntry> many = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      many.add(
          other(SnaptState.SERVING).toBuilder()
              .setSnaptId("other-" + i)
              .setHost("h".repeat(200) + i)
              .build());
    }
    many.add(other(SnaptState.SERVING).toBuilder().setSnaptId("snapt-1").build());
    snapt.control.relays().told(many, ByteString.EMPTY);
    TestControl control = knowingLists();
    RelayList list = control.next().getRelays();
    assertThat(list.getRelaysCount()).isEqualTo(128);
    assertThat(list.getRelays(0).getSnaptId()).isEqualTo("snapt-1");
    assertThat(list.getRelays(127).getSnaptId()).isEqualTo("other-126");
    assertThat(snapt.control.relays().leftOut()).isEqualTo(373);
  }

  @Test
  void aDeviceOfTheVersionBeforeIsToldNothing() throws Exception {
    TestControl control = connect();
    assertThat(welcome(control).getFeaturesList()).doesNotContain(Feature.RELAY_LISTS);
    snapt.control.drain().begin(1);
    assertThat(control.next().hasGoodbye()).isTrue();
  }
}
