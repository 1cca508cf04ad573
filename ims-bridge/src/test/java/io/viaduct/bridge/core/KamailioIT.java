package io.viaduct.bridge.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.registrar.Binding;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.InstantMessage;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The bridge as an application server of a real S-CSCF: Kamailio with the configuration of
/// docker/kamailio. The user agent knows Kamailio only. Skipped where Kamailio is missing.
@Timeout(120)
class KamailioIT {
  @TempDir Path directory;

  @Test
  void aUserOfTheCoreRegistersGetsATokenAndLeaves() throws Exception {
    KamailioCore.assumeInstalled();
    String network = KamailioCore.network();
    try (BridgeRig rig =
            new BridgeRig(
                directory,
                BridgeRig.NO_BILLING,
                "core: {peers: [{address: %s2, port: 5060, transport: udp}]}\n"
                    .formatted(network));
        KamailioCore kamailio =
            KamailioCore.start(
                directory, network, "ims.test", "sip:127.0.0.1:" + rig.bridge.sipPort())) {
      List<SessionGrant> grants = new CopyOnWriteArrayList<>();
      List<InstantMessage> messages = new CopyOnWriteArrayList<>();
      UserAgent alice =
          rig.userAgent(
              settings(network),
              new UserAgentListener() {
                @Override
                public void onSessionGrant(SessionGrant grant) {
                  grants.add(grant);
                }

                @Override
                public void onMessage(InstantMessage message) {
                  messages.add(message);
                }
              });

      alice.register();

      await().untilAsserted(() -> assertThat(bindings(rig)).as(kamailio::log).hasSize(1));
      Binding binding = bindings(rig).getFirst();
      assertThat(binding.core().orElseThrow().scscf()).isEqualTo("sip:scscf.ims.test;lr");
      assertThat(binding.core().orElseThrow().vector()).as("ICID").isPresent();
      alice.subscribeSession(new byte[32]);
      await().untilAsserted(() -> assertThat(grants).as(kamailio::log).isNotEmpty());
      SessionToken token =
          SessionToken.parseFrom(
              SignedSessionToken.parseFrom(Base64.getUrlDecoder().decode(grants.getFirst().token()))
                  .getToken());
      assertThat(token.getAccount()).isEqualTo("alice");
      assertThat(token.getIcid()).as("made by scscf.cfg").matches("[0-9a-f]{32}\\d+");
      assertThat(rig.counter("viaduct_bridge_sip_events", "event", "identity_asserted"))
          .isPositive();

      // A question is answered by the S-CSCF's look-up of the public identity.
      assertThat(alice.sendMessage("balance", "text/plain", "help").get(20, SECONDS).status())
          .as(kamailio::log)
          .isEqualTo(200);
      await().untilAsserted(() -> assertThat(messages).as(kamailio::log).hasSize(1));
      assertThat(messages.getFirst().from()).contains("balance");
      // This rig has no billing, so the bridge answers 503, of which a proxy makes 500 (RFC 3261
      // section 16.7); but nobody is asked for a password.
      assertThat(
              alice
                  .publish("viaduct-usage", "application/vnd.viaduct.device-report", new byte[0])
                  .get(20, SECONDS)
                  .status())
          .isEqualTo(500);
      assertThat(rig.counter("viaduct_bridge_sip_refused", "reason", "report_deferred"))
          .isEqualTo(1);

      // The token's age brings a NOTIFY by the route set, and that of the subscription a refresh.
      await()
          .pollInterval(Duration.ofMillis(200))
          .untilAsserted(() -> {
            rig.clock.advance(Duration.ofSeconds(20));
            assertThat(grants).as(kamailio::log).hasSizeGreaterThan(1);
            assertThat(rig.counter("viaduct_bridge_sip_events", "event", "subscribed"))
                .as(kamailio::log)
                .isGreaterThan(1);
          });
      assertThat(grants).allMatch(grant -> grant.icid().equals(token.getIcid()));
      assertThat(rig.counter("viaduct_bridge_sip_events", "event", "registered")).isZero();

      alice.deregister().get(20, SECONDS);
      await().untilAsserted(() -> assertThat(bindings(rig)).as(kamailio::log).isEmpty());
    }
  }

  private static List<Binding> bindings(BridgeRig rig) {
    return rig.bridge.locations().bindings("alice", rig.clock.instant());
  }

  private static UserAgentSettings settings(String network) {
    return UserAgentSettings.of(
        "ims.test",
        "alice",
        "alice-secret",
        KamailioCore.address(network),
        Transport.UDP,
        SipEndpointSettings.client(new InetSocketAddress(InetAddress.ofLiteral(network + "3"), 0)));
  }
}
