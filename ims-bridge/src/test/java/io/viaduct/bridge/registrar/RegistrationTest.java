package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.useragent.InstantMessage;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The project's user agent registers with the bridge, over real sockets.
@Timeout(120)
class RegistrationTest {
  private static final UserAgentListener SILENT = new UserAgentListener() {};

  @TempDir Path directory;
  private BridgeRig rig;

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, 1, "");
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  private List<Binding> bindings(String user) {
    return rig.bridge.locations().bindings(user, rig.clock.instant());
  }

  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"UDP", "TCP"})
  void aUserRegistersAndIsReachableWhereItsRequestCameFrom(Transport transport) throws Exception {
    UserAgent alice = rig.userAgent("alice", transport, SILENT);
    alice.register();
    await().until(() -> alice.state().isRegistered());
    assertThat(bindings("alice"))
        .singleElement()
        .satisfies(binding -> {
          assertThat(binding.flow().transport()).isEqualTo(transport);
          assertThat(binding.contact()).contains("alice@127.0.0.1:" + alice.port());
        });
    assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "missing")).isEqualTo(1);
    assertThat(rig.counter("viaduct_bridge_sip_events", "event", "registered")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"UDP", "TCP"})
  void aProbeIsAnsweredWithItsTimestampAndWithoutCredentials(Transport transport) throws Exception {
    UserAgent alice = rig.userAgent("alice", transport, SILENT);
    alice.register();
    await().until(() -> alice.roundTrip().answered() >= 1);
    assertThat(rig.counter("viaduct_bridge_sip_events", "event", "probe_answered"))
        .isGreaterThanOrEqualTo(1);
    assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "missing")).isEqualTo(1);
  }

  @Test
  void aWrongPasswordIsRefusedCountedAndRegistersNobody() throws Exception {
    UserAgent alice = rig.userAgent(rig.settings("alice", "guess", Transport.UDP), SILENT);
    alice.register();
    await().until(() -> alice.state().detail().contains("401"));
    assertThat(bindings("alice")).isEmpty();
    assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "wrong_password"))
        .isGreaterThanOrEqualTo(1);
  }

  @Test
  void manyWrongPasswordsAreCutOffBeforeTheyAreChecked() throws Exception {
    UserAgent alice = rig.userAgent(rig.settings("alice", "guess", Transport.UDP), SILENT);
    for (int i = 0; i < 12; i++) {
      alice.sendMessage("bob", "text/plain", "x").get(10, TimeUnit.SECONDS);
    }
    assertThat(rig.counter("viaduct_bridge_sip_refused", "reason", "too_many_failures"))
        .isEqualTo(2);
    assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "wrong_password"))
        .isEqualTo(10);
  }

  @Test
  void anUnknownUserIsRefusedLikeAWrongPassword() throws Exception {
    UserAgent mallory = rig.userAgent(rig.settings("mallory", "x", Transport.UDP), SILENT);
    mallory.register();
    await().until(() -> mallory.state().detail().contains("401"));
    assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "unknown_user"))
        .isGreaterThanOrEqualTo(1);
  }

  @Test
  void aRegistrationIsRenewedBeforeItEndsAndEndsWhenNobodyRenewsIt() throws Exception {
    UserAgent alice =
        rig.userAgent(
            rig.settings("alice", "alice-secret", Transport.UDP)
                .withExpires(Duration.ofSeconds(100)),
            SILENT);
    alice.register();
    await().until(() -> alice.state().isRegistered());
    var first = bindings("alice").getFirst();
    rig.clock.advance(Duration.ofSeconds(95));
    await().until(() -> bindings("alice").getFirst().expires().isAfter(first.expires()));
    alice.close();
    rig.clock.advance(Duration.ofSeconds(101));
    await().until(() -> rig.bridge.locations().size() == 0);
  }

  @Test
  void anExpiryUnderTheLeastIsRaisedByTheClientToWhatTheRegistrarWants() throws Exception {
    UserAgent alice =
        rig.userAgent(
            rig.settings("alice", "alice-secret", Transport.UDP).withExpires(Duration.ofSeconds(1)),
            SILENT);
    alice.register();
    await().until(() -> alice.state().isRegistered());
    assertThat(rig.counter("viaduct_bridge_sip_refused", "reason", "interval_too_brief"))
        .isEqualTo(1);
  }

  @Test
  void deregistrationRemovesTheContact() throws Exception {
    UserAgent alice = rig.userAgent("alice", Transport.UDP, SILENT);
    alice.register();
    await().until(() -> alice.state().isRegistered());
    assertThat(alice.deregister().get(10, TimeUnit.SECONDS).status()).isEqualTo(200);
    assertThat(bindings("alice")).isEmpty();
    assertThat(alice.state().isRegistered()).isFalse();
  }

  @Test
  void moreContactsThanAllowedAreRefusedAndTheOldOnesStay() throws Exception {
    for (int i = 0; i < 2; i++) {
      UserAgent device = rig.userAgent("alice", Transport.UDP, SILENT);
      device.register();
      await().until(() -> device.state().isRegistered());
    }
    UserAgent third = rig.userAgent("alice", Transport.UDP, SILENT);
    third.register();
    await().until(() -> third.state().detail().contains("403 Too Many Contacts"));
    assertThat(bindings("alice")).hasSize(2);
  }

  @Test
  void afterTheNetworkChangedTheSameDeviceHasOneContactAgain() throws Exception {
    UserAgent alice = rig.userAgent("alice", Transport.TCP, SILENT);
    alice.register();
    await().until(() -> alice.state().isRegistered());
    SipFlow before = bindings("alice").getFirst().flow();
    alice.networkChanged();
    await().until(() -> !bindings("alice").getFirst().flow().equals(before));
    assertThat(bindings("alice")).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"UDP", "TCP"})
  void aMessageReachesTheOtherUserAndItsAnswerComesBack(Transport transport) throws Exception {
    List<InstantMessage> received = new CopyOnWriteArrayList<>();
    UserAgent bob =
        rig.userAgent(
            "bob",
            transport,
            new UserAgentListener() {
              @Override
              public void onMessage(InstantMessage message) {
                received.add(message);
              }
            });
    bob.register();
    await().until(() -> bob.state().isRegistered());
    UserAgent alice = rig.userAgent("alice", Transport.UDP, SILENT);

    SipResponse answer = alice.sendMessage("bob", "text/plain", "grüezi").get(10, TimeUnit.SECONDS);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(received)
        .containsExactly(new InstantMessage("sip:alice@ims.test", "text/plain", "grüezi"));
    assertThat(bob.statistics().refused()).isZero();
    for (int i = 0; i < 20; i++) {
      assertThat(
              alice
                  .sendMessage("bob", "text/plain", "line " + i)
                  .get(10, TimeUnit.SECONDS)
                  .status())
          .isEqualTo(200);
    }
    assertThat(rig.counter("viaduct_bridge_digest_refused", "reason", "missing"))
        .as("the nonce is reused: one challenge for bob's REGISTER, one for alice's")
        .isEqualTo(2);
  }

  @Test
  void aMessageToNobodyIs404AndToAnAbsentUser480() throws Exception {
    UserAgent alice = rig.userAgent("alice", Transport.UDP, SILENT);
    assertThat(alice.sendMessage("nobody", "text/plain", "x").get(10, TimeUnit.SECONDS).status())
        .isEqualTo(404);
    assertThat(alice.sendMessage("bob", "text/plain", "x").get(10, TimeUnit.SECONDS).status())
        .isEqualTo(480);
  }

  @Test
  void theUserAgentRefusesWhatDoesNotComeFromItsRegistrar() throws Exception {
    UserAgent alice = rig.userAgent("alice", Transport.UDP, SILENT);
    alice.register();
    await().until(() -> alice.state().isRegistered());
    // alice's user agent takes the place of bob's registrar
    UserAgent bob =
        rig.userAgent(
            new io.viaduct.sip.useragent.UserAgentSettings(
                "ims.test",
                "bob",
                "bob-secret",
                new io.viaduct.sip.HostPort("127.0.0.1", alice.port()),
                Transport.UDP,
                Duration.ofMinutes(1),
                Duration.ofSeconds(8),
                Duration.ofSeconds(20),
                Duration.ofSeconds(5),
                io.viaduct.sip.useragent.ProbePace.USUAL,
                java.util.Set.of(),
                rig.settings("bob", "x", Transport.UDP).endpoint()),
            SILENT);
    assertThat(bob.sendMessage("alice", "text/plain", "spam").get(10, TimeUnit.SECONDS).status())
        .isEqualTo(403);
  }
}
