package io.viaduct.testbed.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentState;
import java.nio.file.Path;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Follows a user's life from the operator's REST requests to the device's SIP user agent.
@Timeout(180)
class ProvisioningTest {
  /// Bounds the time until the bridge follows billing, as the operator's manual promises it.
  private static final Duration PROMISED = Duration.ofSeconds(1);

  private static final int DEVICES_MAX = 8;

  private static SideBySide services;

  /// A user agent and what it was told.
  private static final class Device implements UserAgentListener, AutoCloseable {
    final List<SessionGrant> grants = new CopyOnWriteArrayList<>();
    final List<String> words = new CopyOnWriteArrayList<>();
    final UserAgent agent;

    Device(String user, String password) throws Exception {
      agent = services.userAgent(user, password, this);
      agent.register();
    }

    @Override
    public void onSessionGrant(SessionGrant grant) {
      grants.add(grant);
    }

    @Override
    public void onState(UserAgentState state) {
      words.add(state.detail());
    }

    boolean hasStateWith(String part) {
      return words.stream().anyMatch(detail -> detail.contains(part));
    }

    void subscribe() {
      agent.subscribeSession(Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic()));
    }

    @Override
    public void close() {
      agent.close();
    }
  }

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    services = new SideBySide(directory);
    patiently().until(() -> services.subscribers().isLoaded());
  }

  @AfterAll
  static void stop() {
    services.close();
  }

  // A shared machine with two cores; what a test waits for takes milliseconds alone.
  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofSeconds(45)).pollInterval(Duration.ofMillis(5));
  }

  private static void open(String user, String password) throws Exception {
    services.send(
        "POST",
        "/accounts",
        "{\"id\":\"%s\",\"password\":\"%s\",\"role\":\"user\"}".formatted(user, password));
  }

  private static void change(String user, String change) throws Exception {
    services.change("/accounts/" + user, change);
  }

  /// Waits until the bridge has learnt what billing has just answered.
  private static void learns(Callable<Boolean> change) {
    await("the bridge learns within a second")
        .atMost(PROMISED)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(change);
  }

  private static void registers(String user, String password) throws Exception {
    try (Device device = new Device(user, password)) {
      patiently().until(() -> device.agent.state().isRegistered());
    }
  }

  private static void isRefused(String user, String password, String words) throws Exception {
    try (Device device = new Device(user, password)) {
      patiently().until(() -> device.hasStateWith(words));
      device.subscribe();
      assertThat(device.agent.state().isRegistered()).isFalse();
      assertThat(device.grants).isEmpty();
    }
  }

  @Test
  void aNewUserRegistersWithinASecondAndGetsAToken() throws Exception {
    open("alice", "alice-secret");
    learns(() -> services.subscribers().isActive("alice"));
    try (Device alice = new Device("alice", "alice-secret")) {
      patiently().until(() -> alice.agent.state().isRegistered());
      alice.subscribe();
      patiently().until(() -> !alice.grants.isEmpty());
      assertThat(alice.grants.getFirst().token()).isNotEmpty();
    }
  }

  @Test
  void aSuspendedUsersSessionEndsAndRegisterIsRefusedUntilTheUserIsResumed() throws Exception {
    open("sam", "sams-secret");
    learns(() -> services.subscribers().isActive("sam"));
    try (Device sam = new Device("sam", "sams-secret")) {
      patiently().until(() -> sam.agent.state().isRegistered());
      sam.subscribe();
      patiently().until(() -> !sam.grants.isEmpty());
      change("sam", "{\"state\":\"suspended\"}");
      learns(() -> !services.subscribers().isActive("sam"));
      patiently().until(() -> sam.hasStateWith("rejected"));
    }
    isRefused("sam", "sams-secret", "403 Account Suspended");
    change("sam", "{\"state\":\"active\"}");
    learns(() -> services.subscribers().isActive("sam"));
    registers("sam", "sams-secret");
  }

  @Test
  void afterAChangeOfThePasswordTheNewOneHoldsAlone() throws Exception {
    open("paula", "the-old-secret");
    learns(() -> services.subscribers().isActive("paula"));
    registers("paula", "the-old-secret");
    change("paula", "{\"password\":\"the-new-secret\"}");
    patiently().untilAsserted(() -> isRefused("paula", "the-old-secret", "401"));
    registers("paula", "the-new-secret");
  }

  @Test
  void aDeletedUserIsRefused() throws Exception {
    open("dora", "doras-secret");
    learns(() -> services.subscribers().isActive("dora"));
    try (Device dora = new Device("dora", "doras-secret")) {
      patiently().until(() -> dora.agent.state().isRegistered());
      dora.subscribe();
      patiently().until(() -> !dora.grants.isEmpty());
      services.delete("/accounts/dora");
      learns(() -> !services.subscribers().isActive("dora"));
      patiently().until(() -> dora.hasStateWith("rejected"));
    }
    // Like a user who never was: a stranger learns nothing from the answer.
    isRefused("dora", "doras-secret", "401");
  }

  @Test
  void aUserWithoutAnAccountGetsNoToken() throws Exception {
    isRefused("nobody", "some-secret", "401");
  }

  @Test
  void aDeviceMoreThanTheLimitIsRefusedInWords() throws Exception {
    open("max", "maxs-secret");
    learns(() -> services.subscribers().isActive("max"));
    try (Device max = new Device("max", "maxs-secret")) {
      patiently().until(() -> max.agent.state().isRegistered());
      for (int i = 0; i < DEVICES_MAX; i++) {
        max.grants.clear();
        max.subscribe();
        patiently().until(() -> !max.grants.isEmpty());
      }
      max.grants.clear();
      max.subscribe();
      patiently()
          .until(() ->
              max.hasStateWith(
                  "403 Too Many Devices: account max has its 8 devices: remove one on the"));
      assertThat(max.grants).isEmpty();
      assertThat(services.send("GET", "/accounts/max/devices", "").get("devices").size())
          .isEqualTo(DEVICES_MAX);
    }
  }
}
