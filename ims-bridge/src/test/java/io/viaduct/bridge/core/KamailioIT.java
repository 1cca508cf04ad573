package io.viaduct.bridge.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.registrar.Binding;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.InstantMessage;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The bridge as an application server of a real S-CSCF: Kamailio with the configuration of
/// docker/kamailio. The user agent knows Kamailio only. Skipped where Kamailio is missing.
@Timeout(120)
class KamailioIT {
  private static final Path CONFIGURATION = Path.of("../docker/kamailio").toAbsolutePath();

  private static final Path PROGRAM = Path.of("/usr/sbin/kamailio");

  /// Debian's folder; the variable names others, separated by colons.
  private static final String MODULES =
      System.getenv()
          .getOrDefault("VIADUCT_KAMAILIO_MODULES", "/usr/lib/x86_64-linux-gnu/kamailio/modules");

  @TempDir Path directory;

  @Test
  void aUserOfTheCoreRegistersGetsATokenAndLeaves() throws Exception {
    assumeThat(isInstalled())
        .as(
            "skipped: Kamailio is not installed (apt-get install kamailio kamailio-ims-modules"
                + " kamailio-presence-modules)")
        .isTrue();
    // Each server has an address of its own, so no port can be taken.
    SplittableRandom random = new SplittableRandom();
    String network = "127.%d.%d.".formatted(random.nextInt(1, 255), random.nextInt(256));
    try (BridgeRig rig =
            new BridgeRig(
                directory,
                BridgeRig.NO_BILLING,
                "core: {peers: [{address: %s2, port: 5060, transport: udp}]}\n"
                    .formatted(network));
        Hss hss = new Hss(network + "4", "ims.test", "sip:127.0.0.1:" + rig.bridge.sipPort());
        Kamailio kamailio = new Kamailio(network)) {
      await().until(() -> !hss.answered.isEmpty());
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
      assertThat(token.getIcid()).endsWith(";icid-generated-at=" + network + "2");
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
        new HostPort(network + "2", 5060),
        Transport.UDP,
        SipEndpointSettings.client(new InetSocketAddress(InetAddress.ofLiteral(network + "3"), 0)));
  }

  private static boolean isInstalled() {
    return Files.isExecutable(PROGRAM)
        && Stream.of("ims_isc.so", "presence.so", "htable.so")
            .allMatch(name ->
                Stream.of(MODULES.split(":"))
                    .anyMatch(folder -> Files.isRegularFile(Path.of(folder, name))));
  }

  /// The S-CSCF at address 2 of the network, with the HSS at address 4.
  private final class Kamailio implements AutoCloseable {
    private final Path output = directory.resolve("kamailio.txt");
    private final Process process;

    Kamailio(String network) throws IOException {
      Path run = Files.createDirectories(directory.resolve("kamailio"));
      Path diameter = run.resolve("scscf-cdp.xml");
      Files.writeString(
          diameter,
          Files.readString(CONFIGURATION.resolve("scscf-cdp.xml"))
              .replace("localhost", network + "4")
              .replace("127.0.0.1", network + "2"));
      process =
          new ProcessBuilder(
                  PROGRAM.toString(),
                  "-L",
                  MODULES,
                  "-f",
                  CONFIGURATION.resolve("scscf.cfg").toString(),
                  "-DD",
                  "-E",
                  "-m",
                  "64",
                  "-M",
                  "8",
                  "-Y",
                  run.toString(),
                  "-A",
                  "LISTEN=udp:" + network + "2:5060",
                  "-A",
                  "HSS=\"" + network + "4\"",
                  "-A",
                  "CDP_XML=\"" + diameter + "\"")
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(output.toFile())
              .start();
    }

    String log() {
      try {
        return Files.readString(output);
      } catch (IOException e) {
        return e.toString();
      }
    }

    @Override
    public void close() throws Exception {
      List<ProcessHandle> children = process.descendants().toList();
      process.destroy();
      if (!process.waitFor(10, SECONDS)) {
        process.destroyForcibly();
      }
      children.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
