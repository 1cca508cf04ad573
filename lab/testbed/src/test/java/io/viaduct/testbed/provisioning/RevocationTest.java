package io.viaduct.testbed.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.RefusalCode;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Follows a revocation from the operator's REST request to the session at a SNAPT: a real billing
/// with its PostgreSQL, a real bridge and a SNAPT's real control and data path.
@Timeout(180)
class RevocationTest {
  // The manual promises a second. A shared machine has taken several for work of milliseconds.
  private static final Duration SOON = Duration.ofSeconds(5);

  private static TestOperator authority; // of the SNAPT's control port
  private static TestSnapt snapt;
  private static SideBySide services;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    authority = new TestOperator(directory.resolve("devices"));
    snapt = new TestSnapt(authority, directory, 1, Duration.ofSeconds(30));
    TestAuthority operator = new TestAuthority(directory.resolve("operator"));
    services =
        new SideBySide(
            directory,
            operator,
            "snapts: [{id: snapt-1, report-key: \"%s\", owner: acme, region: core}]\n"
                .formatted(Base64.getEncoder().encodeToString(raw(snapt.reportKey))),
            "");
    patiently().until(() -> services.snapts().configured("snapt-1").isPresent());
    snapt.announceTo(
        NettyChannelBuilder.forAddress("localhost", services.snaptsPort())
            .sslContext(
                GrpcSslContexts.configure(
                        operator.material("snapt-1").clientBuilder(), SslProvider.JDK)
                    .build())
            .build());
    patiently().until(() -> services.subscribers().isLoaded());
  }

  @AfterAll
  static void stop() {
    services.close();
    snapt.close();
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofSeconds(45)).pollInterval(Duration.ofMillis(5));
  }

  private static byte[] raw(KeyPair key) {
    return Ed25519.raw((EdECPublicKey) key.getPublic());
  }

  /// A device with a session at the SNAPT.
  private static final class Device implements UserAgentListener, AutoCloseable {
    private final KeyPair key = Ed25519.generate();
    private final BlockingQueue<SessionGrant> grants = new LinkedBlockingQueue<>();
    private final UserAgent agent;
    private final ByteString token;
    private TestControl control;

    Device(String user) throws Exception {
      services.send(
          "POST",
          "/accounts",
          "{\"id\":\"%s\",\"password\":\"her-secret\",\"role\":\"user\"}".formatted(user));
      patiently().until(() -> services.subscribers().isActive(user));
      agent = services.userAgent(user, "her-secret", this);
      agent.register();
      patiently().until(() -> agent.state().isRegistered());
      agent.subscribeSession(raw(key));
      SessionGrant grant = grants.poll(45, TimeUnit.SECONDS);
      assertThat(grant).isNotNull();
      token = ByteString.copyFrom(Base64.getUrlDecoder().decode(grant.token()));
      // The SNAPT may not have the bridge's keys yet.
      patiently().until(() -> hello().hasWelcome());
    }

    @Override
    public void onSessionGrant(SessionGrant grant) {
      grants.add(grant);
    }

    ControlMessage hello() throws Exception {
      if (control != null) {
        control.close();
      }
      control = new TestControl(snapt.controlAddress, authority.trust());
      control.send(control.hello(token, key).build());
      return control.next();
    }

    String goodbye() throws Exception {
      ControlMessage last;
      do {
        last = control.received.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
        assertThat(last).as("a Goodbye within %s", SOON).isNotNull();
      } while (!last.hasGoodbye());
      return last.getGoodbye().getReason();
    }

    @Override
    public void close() {
      control.close();
      agent.close();
    }
  }

  @Test
  void aSuspendedUsersSessionEndsItsReportIsTakenAndTheUserIsLetInAgainWhenReinstated()
      throws Exception {
    try (Device alice = new Device("alice")) {
      services.change("/accounts/alice", "{\"state\":\"suspended\"}");
      assertThat(alice.goodbye()).isEqualTo("REVOKED: the account is suspended: ask your operator");
      assertThat(alice.hello().getRefusal().getCode()).isEqualTo(RefusalCode.TOKEN_REVOKED);
      patiently().until(() -> snapt.spool.pending() == 0);
      assertThat(services.send("GET", "/reports/held?account=alice", "").get("held")).isEmpty();
      services.change("/accounts/alice", "{\"state\":\"active\"}");
      await().atMost(SOON).until(() -> alice.hello().hasWelcome());
    }
  }

  @Test
  void aClosedUsersSessionEnds() throws Exception {
    try (Device carol = new Device("carol")) {
      services.delete("/accounts/carol");
      assertThat(carol.goodbye()).isEqualTo("REVOKED: the account is closed: ask your operator");
    }
  }

  @Test
  void aRemovedDevicesSessionEndsAndItsTokenIsRefused() throws Exception {
    try (Device bob = new Device("bob")) {
      String devices = "/accounts/bob/devices";
      JsonNode listed = services.send("GET", devices, "").get("devices");
      services.delete(devices + "/" + listed.get(0).get("id").asString(), devices);
      assertThat(bob.goodbye()).startsWith("REVOKED: this device was removed from its account");
      assertThat(bob.hello().getRefusal().getCode()).isEqualTo(RefusalCode.TOKEN_REVOKED);
    }
  }
}
