package io.viaduct.bridge.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.SipSettings;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.sip.Transport;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SnaptStatus;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.util.Base64;
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

/// Tests SUBSCRIBE, NOTIFY and the token in a NOTIFY.
@Timeout(120)
class SessionTest {
  @TempDir Path directory;
  private BridgeRig rig;
  private final List<SessionGrant> grants = new CopyOnWriteArrayList<>();
  private final byte[] deviceKey = Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic());
  private final UserAgentListener collect =
      new UserAgentListener() {
        @Override
        public void onSessionGrant(SessionGrant grant) {
          grants.add(grant);
        }
      };

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, 1, "directory: {stale-after: 30s, first: [snapt-2]}");
    rig.clock.advance(Duration.ofSeconds(31)); // lists are told although not all have announced
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  private UserAgent subscribed(Transport transport) throws Exception {
    UserAgent alice = rig.userAgent("alice", transport, collect);
    alice.register();
    alice.subscribeSession(deviceKey);
    await().until(() -> !grants.isEmpty() && alice.state().subscription() == Phase.ACTIVE);
    return alice;
  }

  private void announce(String id) {
    announce(id, "192.0.2.7");
  }

  private void announce(String id, String host) {
    rig.bridge
        .directory()
        .note(
            id,
            SnaptStatus.newBuilder()
                .setSnaptId(id)
                .setHost(host)
                .setControlPort(443)
                .setDataPort(4443)
                .build());
  }

  private static SessionToken verified(SessionGrant grant, KeyPair key) throws Exception {
    SignedSessionToken signed =
        SignedSessionToken.parseFrom(Base64.getUrlDecoder().decode(grant.token()));
    assertThat(signed.getKeyId()).isEqualTo(grant.kid());
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(key.getPublic());
    signature.update("viaduct session token\0".getBytes(StandardCharsets.US_ASCII));
    signature.update(signed.getToken().toByteArray());
    assertThat(signature.verify(signed.getSignature().toByteArray())).isTrue();
    return SessionToken.parseFrom(signed.getToken());
  }

  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"UDP", "TCP"})
  void aSubscriptionGetsATokenThatVerifiesAndIsBoundToTheDevice(Transport transport)
      throws Exception {
    announce("snapt-2");
    subscribed(transport);
    SessionGrant grant = grants.getFirst();
    assertThat(grant.relays())
        .containsExactly(
            new SessionGrant.Relay(
                "snapt-2", "192.0.2.7", 443, 4443, 0, "core", List.of(), List.of()));
    assertThat(grant.reportSec()).isEqualTo(5);
    SessionToken token = verified(grant, Ed25519.readPair(rig.configuration.token().signingKey()));
    assertThat(token.getAccount()).isEqualTo("alice");
    assertThat(token.getPublicIdentity()).isEqualTo("sip:alice@ims.test");
    assertThat(token.getDeviceKey().toByteArray()).isEqualTo(deviceKey);
    assertThat(token.getAudience()).isEqualTo(rig.configuration.token().audience());
    assertThat(token.getIcid()).isEqualTo(grant.icid()).matches("[0-9a-f-]{36}");
    assertThat(token.getExpiresMs())
        .isEqualTo(grant.expires().toEpochMilli())
        .isEqualTo(rig.clock.millis() + 60_000);
  }

  @Test
  void addressesOfASnaptThatIsKnownByNameComeWithTheGrant() throws Exception {
    announce("snapt-2", "localhost");
    subscribed(Transport.UDP);
    SessionGrant.Relay relay = grants.getFirst().relays().getFirst();
    assertThat(relay.host()).isEqualTo("localhost");
    assertThat(relay.addresses()).contains(InetAddress.ofLiteral("127.0.0.1"));
  }

  @Test
  void snaptsThatTheOperatorNamesHaveLowerRanksThanAllOthers() throws Exception {
    announce("snapt-1");
    announce("snapt-2");
    subscribed(Transport.UDP);
    await().until(() -> grants.getLast().relays().size() == 2);
    assertThat(grants.getLast().relays())
        .extracting(SessionGrant.Relay::id, SessionGrant.Relay::prio)
        .containsExactlyInAnyOrder(tuple("snapt-2", 0), tuple("snapt-1", 1));
  }

  @Test
  void aNewTokenComesBeforeTheOldOneEnds() throws Exception {
    subscribed(Transport.UDP);
    rig.clock.advance(Duration.ofSeconds(37));
    await().until(() -> grants.size() >= 2);
    assertThat(grants.getLast().expires())
        .isEqualTo(
            rig.clock.instant().plusSeconds(60).truncatedTo(java.time.temporal.ChronoUnit.MILLIS));
    assertThat(grants.getLast().sid()).isEqualTo(grants.getFirst().sid());
  }

  @Test
  void aSnaptThatComesOrGoesIsNotifiedAtOnce() throws Exception {
    subscribed(Transport.UDP);
    assertThat(grants.getFirst().relays()).isEmpty();
    announce("snapt-1");
    await().until(() -> grants.getLast().relays().size() == 1);
    rig.clock.advance(Duration.ofSeconds(31));
    await().until(() -> grants.getLast().relays().isEmpty());
  }

  /// The NOTIFY of another user shows that the bridge has done its periodic work.
  @Test
  void aUserWhoIsNotRegisteredGetsNoToken() throws Exception {
    UserAgent alice = subscribed(Transport.UDP);
    List<SessionGrant> others = new CopyOnWriteArrayList<>();
    UserAgent bob =
        rig.userAgent(
            "bob",
            Transport.UDP,
            new UserAgentListener() {
              @Override
              public void onSessionGrant(SessionGrant grant) {
                others.add(grant);
              }
            });
    bob.register();
    bob.subscribeSession(Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic()));
    await().until(() -> !others.isEmpty());
    alice.deregister().get(10, TimeUnit.SECONDS);
    await().until(() -> rig.registry.get("viaduct_bridge_subscriptions").gauge().value() == 1);
    grants.clear();
    announce("snapt-1");
    await().until(() -> others.getLast().relays().size() == 1);
    assertThat(grants).isEmpty();
  }

  @Test
  void afterARestartOfTheBridgeTheDeviceRegistersAndSubscribesByItself() throws Exception {
    UserAgent alice = subscribed(Transport.UDP);
    grants.clear();
    int port = rig.bridge.sipPort();
    rig.bridge.close();
    BridgeConfiguration old = rig.configuration;
    BridgeConfiguration same =
        new BridgeConfiguration(
            old.domain(),
            withPort(old.sip(), port),
            old.core(),
            old.calls(),
            old.bridges(),
            old.grpc(),
            old.rest(),
            old.billing(),
            old.tls(),
            old.token(),
            old.snapts(),
            old.directory(),
            old.reporting(),
            old.reports(),
            old.kafka(),
            old.state(),
            old.subscribers(),
            old.operations(),
            old.logging());
    rig.start(same);
    rig.clock.advance(Duration.ofSeconds(46)); // the token has 14 s left
    await()
        .until(() -> {
          rig.clock.advance(Duration.ofMillis(200));
          return !grants.isEmpty() && alice.state().subscription() == Phase.ACTIVE;
        });
    assertThat(rig.bridge.locations().bindings("alice", rig.clock.instant())).hasSize(1);
  }

  private static SipSettings withPort(SipSettings s, int port) {
    return new SipSettings(
        s.host(),
        port,
        s.sentBy(),
        s.tls(),
        s.webSocket(),
        s.connections(),
        s.connectionsPerSource(),
        s.firstMessage(),
        s.transactionsMax(),
        s.answersPerSecond(),
        s.answersPerSource(),
        s.remembered(),
        s.pending(),
        s.bindings(),
        s.contacts(),
        s.expiresMin(),
        s.expiresMax(),
        s.expiresDefault(),
        s.algorithms(),
        s.algorithmsByUserAgent(),
        s.nonceLifetime(),
        s.wrongPasswords(),
        s.wrongPasswordsPerSource());
  }
}
