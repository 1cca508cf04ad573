package io.viaduct.bridge.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ProvisioningStub;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.sip.Transport;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentState;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import io.viaduct.usage.v1.CreditState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Users come, change and go in billing; the bridge follows, over real sockets.
@Timeout(120)
class ProvisioningTest {
  @TempDir Path directory;
  private BridgeRig rig;
  private final List<SessionGrant> grants = new CopyOnWriteArrayList<>();
  private final List<String> words = new CopyOnWriteArrayList<>();
  private final UserAgentListener listener =
      new UserAgentListener() {
        @Override
        public void onSessionGrant(SessionGrant grant) {
          grants.add(grant);
        }

        @Override
        public void onState(UserAgentState state) {
          words.add(state.detail());
        }
      };

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, 1, "");
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  private static byte[] key() {
    return Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic());
  }

  private UserAgent agent(String user) throws Exception {
    UserAgent agent = rig.userAgent(user, Transport.UDP, listener);
    agent.register();
    return agent;
  }

  private UserAgent subscribed(String user) throws Exception {
    UserAgent agent = agent(user);
    agent.subscribeSession(key());
    await().until(() -> agent.state().subscription() == Phase.ACTIVE && !grants.isEmpty());
    return agent;
  }

  private boolean said(String part) {
    return words.stream().anyMatch(detail -> detail.contains(part));
  }

  @Test
  void aNewUserRegistersWithoutARestart() throws Exception {
    rig.users.put(ProvisioningStub.user("dave", "dave-secret"));
    await().until(() -> rig.bridge.subscribers().isActive("dave"));
    UserAgent dave = agent("dave");
    await().until(() -> dave.state().isRegistered());
  }

  @Test
  void aSuspendedUsersSessionEndsAndRegisterIsRefusedInWords() throws Exception {
    UserAgent alice = subscribed("alice");
    long before = System.nanoTime();
    rig.users.suspend("alice", true);
    await().pollInterval(Duration.ofMillis(10)).until(() -> said("rejected"));
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
    assertThat(rig.bridge.locations().bindings("alice", rig.clock.instant())).isEmpty();
    alice.register();
    await()
        .until(() -> said("403 Account Suspended: account alice is suspended: ask your operator"));
    assertThat(rig.counter("viaduct_bridge_sip_refused", "reason", "account_suspended"))
        .isGreaterThanOrEqualTo(1);
    int granted = grants.size();
    rig.users.suspend("alice", false);
    await().until(() -> rig.bridge.subscribers().isActive("alice"));
    alice.register();
    alice.subscribeSession(key());
    await().until(() -> grants.size() > granted);
  }

  @Test
  void withoutCreditANewSessionIsRefusedInWordsAndAnOpenOneStays() throws Exception {
    UserAgent alice = subscribed("alice");
    int granted = grants.size();
    for (String user : List.of("alice", "bob")) {
      rig.users.put(
          rig.users.subscriber(user).toBuilder().setCredit(CreditState.EXHAUSTED).build());
    }
    await().until(() -> grants.size() > granted);
    assertThat(alice.state().subscription()).isEqualTo(Phase.ACTIVE);
    UserAgent bob = agent("bob");
    await().until(() -> bob.state().isRegistered());
    bob.subscribeSession(key());
    await().until(() -> said("402 Payment Required: the credit of account bob is used up: top up"));
    assertThat(rig.counter("viaduct_bridge_sip_refused", "reason", "no_credit"))
        .isGreaterThanOrEqualTo(1);
    rig.users.put(
        rig.users.subscriber("bob").toBuilder().setCredit(CreditState.SUFFICIENT).build());
    await()
        .until(() -> {
          rig.clock.advance(Duration.ofSeconds(5)); // until the user agent asks again
          return bob.state().subscription() == Phase.ACTIVE;
        });
  }

  @Test
  void aDeviceLearnsEachChangeOfItsCreditAndOnlyThat() throws Exception {
    subscribed("alice");
    assertThat(grants.getLast().credit()).isEqualTo(SessionGrant.Credit.SUFFICIENT);
    for (CreditState state :
        List.of(CreditState.LOW, CreditState.EXHAUSTED, CreditState.SUFFICIENT)) {
      int told = grants.size();
      rig.users.put(rig.users.subscriber("alice").toBuilder().setCredit(state).build());
      await().until(() -> grants.size() > told);
      assertThat(grants).hasSize(told + 1);
      assertThat(grants.getLast().credit().name()).isEqualTo(state.name());
    }
  }

  @Test
  void aRemovedUserIsGoneAtOnce() throws Exception {
    subscribed("alice");
    rig.users.remove("alice");
    await().until(() -> said("rejected"));
    assertThat(rig.bridge.subscribers().contains("alice")).isFalse();
    await().until(() -> rig.bridge.locations().size() == 0);
  }

  @Test
  void aChangedPasswordIsTheOnlyOneThatHolds() throws Exception {
    rig.users.put(ProvisioningStub.user("bob", "another-secret"));
    await().until(() -> rig.registry.get("viaduct_bridge_subscribers").gauge().value() == 3);
    UserAgent old = agent("bob");
    await().until(() -> said("401"));
    assertThat(old.state().isRegistered()).isFalse();
    UserAgent bob = rig.userAgent(rig.settings("bob", "another-secret", Transport.UDP), listener);
    bob.register();
    await().until(() -> bob.state().isRegistered());
  }

  @Test
  void oneDeviceTooManyIsRefusedInWordsAndARemovedOneMakesRoom() throws Exception {
    UserAgent alice = subscribed("alice");
    for (int i = 1; i < ProvisioningStub.DEVICES_MAX; i++) {
      grants.clear();
      alice.subscribeSession(key());
      await().until(() -> !grants.isEmpty());
    }
    grants.clear();
    alice.subscribeSession(key());
    await()
        .until(
            () -> said("403 Too Many Devices: account alice has its 3 devices: remove one on the"));
    assertThat(grants).isEmpty();
    rig.users.removeDevices("alice");
    alice.subscribeSession(key());
    await().until(() -> !grants.isEmpty());
    assertThat(rig.counter("viaduct_bridge_sip_refused", "reason", "too_many_devices"))
        .isGreaterThanOrEqualTo(1);
    assertThat(rig.counter("viaduct_bridge_device_bindings", "verdict", "too_many"))
        .isGreaterThanOrEqualTo(1);
  }

  @Test
  void aKnownDeviceNeedsNoQuestion() throws Exception {
    byte[] key = key();
    rig.users.put(
        rig.users.subscriber("alice").toBuilder()
            .addDeviceKeys(com.google.protobuf.ByteString.copyFrom(key))
            .build());
    await().until(() -> rig.bridge.subscribers().hasDevice("alice", key));
    UserAgent alice = agent("alice");
    alice.subscribeSession(key);
    await().until(() -> !grants.isEmpty());
    assertThat(rig.users.asked).isZero();
    await().untilAsserted(() -> assertThat(rig.users.seen).containsExactly("alice"));
  }

  @Test
  void aRemovedDeviceHasNoSessionAnyMore() throws Exception {
    subscribed("alice");
    rig.users.removeDevices("alice");
    await().until(() -> said("rejected"));
  }

  @Test
  void manySubscriptionsOfOneDeviceLeaveTwo() throws Exception {
    byte[] key = key();
    UserAgent agent = agent("bob");
    for (int i = 0; i < 5; i++) {
      int granted = grants.size();
      agent.subscribeSession(key);
      await().until(() -> grants.size() > granted);
      assertThat(rig.registry.get("viaduct_bridge_subscriptions").gauge().value())
          .isLessThanOrEqualTo(2);
    }
  }

  @Test
  void aBridgeThatStartsWhileBillingIsAwayServesWithTheCopyOnDisk() throws Exception {
    Path copy = rig.configuration.state().resolve("subscribers");
    await().until(() -> Files.exists(copy));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy.getParent())))
        .isEqualTo("rwx------");
    rig.users.close();
    rig.bridge.close();
    rig.start(rig.configuration);
    UserAgent alice = agent("alice");
    await().until(() -> alice.state().isRegistered());
    alice.subscribeSession(key());
    await().until(() -> said("billing does not answer, and this device is new"));
  }

  @Test
  void withoutACopyNobodyRegistersUntilBillingIsThere() throws Exception {
    Path copy = rig.configuration.state().resolve("subscribers");
    await().until(() -> Files.exists(copy));
    rig.users.close();
    rig.bridge.close();
    Files.delete(copy);
    rig.start(rig.configuration);
    UserAgent alice = agent("alice");
    await().until(() -> said("503 Service Unavailable: the bridge has no directory of users yet"));
    assertThat(rig.counter("viaduct_bridge_sip_refused", "reason", "directory_missing"))
        .isGreaterThanOrEqualTo(1);
    rig.restartUsers();
    await().until(() -> rig.bridge.subscribers().isLoaded());
    alice.register();
    await()
        .until(() -> {
          rig.clock.advance(Duration.ofMillis(200));
          return alice.state().isRegistered();
        });
  }

  @Test
  void aCopyThatWasCutIsNotUsed() throws Exception {
    Path copy = rig.configuration.state().resolve("subscribers");
    await().until(() -> Files.exists(copy));
    rig.users.close();
    rig.bridge.close();
    byte[] whole = Files.readAllBytes(copy);
    Files.write(copy, java.util.Arrays.copyOf(whole, whole.length - 2));
    rig.start(rig.configuration);
    assertThat(rig.bridge.subscribers().isLoaded()).isFalse();
  }

  @Test
  void noTextShowsACredential() {
    io.viaduct.bridge.registrar.Subscriber alice =
        rig.bridge.subscribers().all().stream()
            .filter(each -> each.user().equals("alice"))
            .findFirst()
            .orElseThrow();
    alice.ha1().values().forEach(ha1 -> assertThat(alice.toString()).doesNotContain(ha1));
  }
}
