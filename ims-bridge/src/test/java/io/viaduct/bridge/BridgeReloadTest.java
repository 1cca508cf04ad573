package io.viaduct.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.reload.ConfigurationReload.Outcome;
import io.viaduct.service.reload.ReloadedKeys;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsProbe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sends SIGHUP to a running bridge.
@Timeout(180)
class BridgeReloadTest {
  private static final List<String> HTTP2 = List.of("h2");

  @TempDir Path directory;

  private static ConfigurationReload<BridgeConfiguration> reload(BridgeRig rig) {
    return new ConfigurationReload<>(
        BridgeReload.source(rig.file, rig.clock),
        ConfigurationKeys.of(rig.configuration),
        BridgeReload.parts(rig.bridge.parts()),
        rig.registry,
        rig.clock);
  }

  private static X509Certificate shown(int port, TlsMaterial material) throws Exception {
    try (TlsProbe probe = TlsProbe.connect(port, HTTP2, material.authorities())) {
      return probe.certificate();
    }
  }

  private static X509Certificate own(TlsMaterial material) {
    return material.chain().getFirst();
  }

  @Test
  void aRealProcessTakesARenewedCertificateWithARealSignalAndLetsConnectionsStand()
      throws Exception {
    assumeFalse(ignoresHangUp(), "nohup started this run: its processes ignore SIGHUP");
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      TlsMaterial first = TlsMaterial.load(rig.configuration.tls());
      Path log = directory.resolve("log");
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  BridgeCommand.class.getName(),
                  "run",
                  "--config",
                  rig.file.toString())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      try {
        int port = Integer.parseInt(said(log, "SNAPTs on port (\\d+)"));
        try (TlsProbe old = TlsProbe.connect(port, HTTP2, first.authorities())) {
          assertThat(old.certificate()).isEqualTo(own(first));
          TlsMaterial renewed = rig.authority.material("ims-bridge");
          assertThat(hangUp(process)).isZero();
          said(log, "tls.certificate: the content of .* is new: (applied)");
          assertThat(shown(port, renewed)).isEqualTo(own(renewed));
          assertThat(old.isOpen()).as("the connection of before").isTrue();
        }
        Files.writeString(
            rig.file, Files.readString(rig.file).replace("lifetime: 60s", "lifetime: 1s"));
        assertThat(hangUp(process)).isZero();
        assertThat(said(log, "(configuration not reloaded.*lifetime must be.*)"))
            .contains(rig.file.toString());
        assertThat(process.isAlive()).isTrue();
      } finally {
        process.destroy();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(process.exitValue()).isZero();
    }
  }

  /// Returns true if SIGHUP is in the set of ignored signals, which a process inherits (proc(5)).
  private static boolean ignoresHangUp() throws Exception {
    String ignored =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .findFirst()
            .orElseThrow();
    return Long.parseUnsignedLong(ignored.substring(7).strip(), 16) % 2 != 0;
  }

  private static int hangUp(Process process) throws Exception {
    return new ProcessBuilder("kill", "-HUP", Long.toString(process.pid())).start().waitFor();
  }

  private static String said(Path log, String pattern) {
    Pattern words = Pattern.compile(pattern);
    return await()
        .until(
            () -> {
              Matcher found = words.matcher(Files.readString(log));
              return found.find() ? found.group(1) : "";
            },
            found -> !found.isEmpty());
  }

  @Test
  void aCertificateThatPeersWouldRefuseIsRefusedAndTheOldOneStays() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      TlsMaterial first = TlsMaterial.load(rig.configuration.tls());
      var reload = reload(rig);
      var strange = new TestAuthority(directory.resolve("strange")).issue("ims-bridge");
      copy(strange.certificate(), rig.configuration.tls().certificate());
      assertThat(reload.reload()).as("the key is of another").isEqualTo(Outcome.REFUSED);
      copy(strange.privateKey(), rig.configuration.tls().privateKey());
      assertThat(reload.reload()).as("the authority is another").isEqualTo(Outcome.REFUSED);
      assertThat(shown(rig.bridge.grpcPort(), first)).isEqualTo(own(first));
      assertThat(rig.counter("viaduct_configuration_reloads", "outcome", "refused")).isEqualTo(2);
    }
  }

  private static void copy(Path from, Path to) throws Exception {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
  }

  @Test
  void aSnaptThatIsAddedToTheListIsKnownAndOneThatIsTakenOutIsNot() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      var reload = reload(rig);
      String text = Files.readString(rig.file);
      Files.writeString(rig.file, text.replace("id: snapt-2", "id: snapt-3"));
      assertThat(reload.reload()).isEqualTo(Outcome.APPLIED);
      assertThat(rig.bridge.directory().configured("snapt-1")).isPresent();
      assertThat(rig.bridge.directory().configured("snapt-3")).isPresent();
      assertThat(rig.bridge.directory().configured("snapt-2")).isEmpty();
      assertThat(rig.counter("viaduct_bridge_snapt_reports_refused", "snapt", "snapt-3")).isZero();
      assertThat(rig.counter("viaduct_bridge_snapt_duplicates", "snapt", "snapt-3")).isZero();
    }
  }

  @Test
  void aTokenKeyThatIsAddedIsToldToSnaptsAndTheOtherOneMaySign() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      var reload = reload(rig);
      String signing = rig.bridge.tokens().publicKeys().getFirst().getKeyId();
      Path next = directory.resolve("next.key");
      Ed25519.writePrivate(next, Ed25519.generate().getPrivate());
      String former = rig.configuration.token().signingKey().toString();
      Files.writeString(rig.file, Files.readString(rig.file).replace(former, next.toString()));
      assertThat(reload.reload()).isEqualTo(Outcome.APPLIED);
      assertThat(rig.bridge.tokens().publicKeys().getFirst().getKeyId()).isNotEqualTo(signing);
      Files.writeString(
          rig.file,
          Files.readString(rig.file)
              .replace(
                  "lifetime: 60s",
                  "lifetime: 60s, accepted-keys: [\"%s\"]"
                      .formatted(BridgeRig.base64(Ed25519.readPair(Path.of(former))))));
      assertThat(reload.reload()).isEqualTo(Outcome.APPLIED);
      assertThat(rig.bridge.tokens().publicKeys().getLast().getKeyId()).isEqualTo(signing);
    }
  }

  @Test
  void theReadmeNamesTheKeysThatAreReloaded() throws Exception {
    try (BridgeRig rig = new BridgeRig(directory, 1, "")) {
      assertThat(ReloadedKeys.named(Path.of("README.md")))
          .isEqualTo(ReloadedKeys.declared(BridgeReload.parts(rig.bridge.parts())));
    }
  }
}
