package io.viaduct.billing;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.configuration.SnaptFacts;
import io.viaduct.billing.database.DatabaseAddress;
import io.viaduct.billing.snapts.Snapts;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsSettings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.interfaces.EdECPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BillingCommandTest {
  @TempDir Path folder;
  private final PrintStream realOut = System.out;
  private final PrintStream realErr = System.err;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeEach
  void capture() {
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void release() {
    System.setOut(realOut);
    System.setErr(realErr);
  }

  private String configuration(String more) throws Exception {
    DatabaseAddress database = SharedDatabase.database().access().application();
    TlsSettings tls = new TestAuthority(folder).issue("danum-billing");
    RunningBilling.secret(folder, "operator-password", "operator-secret");
    RunningBilling.secret(folder, "database-password", database.password());
    return Files.writeString(
            folder.resolve("billing.yml"),
            """
            tls: {certificate: %s, private-key: %s, trust: %s}
            operator: {password-file: %s}
            database: {url: '%s', user: danum_application, password-file: %s}
            sip-domain: ims.test
            credentials: {key-file: %s}
            %s
            """
                .formatted(
                    tls.certificate(),
                    tls.privateKey(),
                    tls.trust(),
                    folder.resolve("operator-password"),
                    database.url(),
                    folder.resolve("database-password"),
                    folder.resolve("credential.key"),
                    more))
        .toString();
  }

  @Test
  void verifyPrintsEveryInvariantAndEndsWithZero() throws Exception {
    assertThat(BillingCommand.run("verify", "--config", configuration(""))).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).lines())
        .hasSize(30)
        .allMatch(l -> l.startsWith("ok "));
  }

  @Test
  void helpIsWellFormed() {
    assertThat(BillingCommand.run("--help")).isZero();
    assertThat(BillingCommand.run("num", "--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("1 % of").doesNotContain("%%");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void checkShowsTheConfigurationWithoutItsSecrets() throws Exception {
    assertThat(BillingCommand.run("check", "--config", configuration(""))).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("grace-time: PT10M")
        .doesNotContain("operator-secret")
        .doesNotContain(SharedDatabase.database().access().application().password());
  }

  @Test
  void checkNamesEachOwnerThatDiffersFromTheOneWhoIsPaid() throws Exception {
    byte[] raw = Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic());
    String key = Base64.getEncoder().encodeToString(raw);
    String id = "check-" + UUID.randomUUID().toString().substring(0, 8);
    String lines =
        "snapts: [{id: %s, report-key: '%s', owner: acme, region: core}, {id: new-%s, report-key: '%s', owner: acme, region: core}]"
            .formatted(id, key, id, key);
    Snapts snapts = new Snapts(SharedDatabase.client(), SharedDatabase.transaction());
    snapts.put(
        new SnaptFacts(id, key, "beacon", "", Optional.empty()), null, "olivia", Instant.now());
    assertThat(BillingCommand.run("check", "--config", configuration(lines))).isEqualTo(78);
    assertThat(err.toString(StandardCharsets.UTF_8).lines())
        .singleElement()
        .asString()
        .startsWith("error: snapts: SNAPT " + id)
        .contains("owner acme", "enrolled for beacon", "denarii snapts enrol");
    err.reset();
    snapts.remove(id, null, Instant.now());
    assertThat(BillingCommand.run("check", "--config", configuration(lines))).isZero();
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void theOutputOfCheckIsAValidConfiguration() throws Exception {
    assertThat(BillingCommand.run("check", "--config", configuration(""))).isZero();
    String printed = out.toString(StandardCharsets.UTF_8);
    Path again = Files.writeString(folder.resolve("again.yml"), printed);
    out.reset();
    assertThat(BillingCommand.run("check", "--config", again.toString())).as("%s", err).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(printed);
  }

  @Test
  void aPortInUseGivesOneLineWithKeyHostAndPortAndExitCode69() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      for (String listener : List.of("rest", "grpc", "operations")) {
        err.reset();
        StringBuilder ports = new StringBuilder("logging: {level: error}\n");
        for (String mapping : List.of("rest", "grpc", "operations")) {
          ports.append(
              "%s: {port: %d}%n"
                  .formatted(mapping, mapping.equals(listener) ? taken.getLocalPort() : 0));
        }
        Path file = Path.of(configuration(ports.toString()));
        Files.writeString(
            file,
            Files.readString(file)
                .replace(
                    folder.resolve("credential.key").toString(),
                    SharedDatabase.CREDENTIAL_KEY.toString()));
        assertThat(BillingCommand.run("run", "--config", file.toString()))
            .as(listener)
            .isEqualTo(69);
        assertThat(err.toString(StandardCharsets.UTF_8))
            .contains(
                listener + ".port", "127.0.0.1:" + taken.getLocalPort(), "address already in use")
            .hasLineCount(1);
      }
    }
  }

  @Test
  void anInvalidValueGivesOneLineWithKeyValueAndRuleAndExitCode78() throws Exception {
    String[][] cases = {
      {"grace-time: 100ms", "grace-time must be between"},
      {"grce-time: 1s", "unknown key 'grce-time'"},
      {"snapt-owners: {'snapt 1': acme}", "snapt-owners"},
      {"logging: {level: loud}", "logging"},
      {"sessions: {wrong-passwords: 0}", "wrong-passwords must be between 1 and 100"},
      {"rest: {port: 70000}", "port must be 0 to 65535, got '70000'"}
    };
    for (String[] bad : cases) {
      err.reset();
      assertThat(BillingCommand.run("check", "--config", configuration(bad[0])))
          .as(bad[0])
          .isEqualTo(78);
      assertThat(err.toString(StandardCharsets.UTF_8)).contains(bad[1]);
      assertThat(err.toString(StandardCharsets.UTF_8).lines()).hasSize(1);
    }
  }

  @Test
  void checkFindsAMissingKeyAndAKeyOfAnotherCertificate() throws Exception {
    String file = configuration("");
    String text = Files.readString(Path.of(file));
    TlsSettings other = new TestAuthority(folder.resolve("other")).issue("other");
    String[][] cases = {
      {text.replaceFirst("private-key: [^,]+", "private-key: missing.key"), "missing.key"},
      {
        text.replaceFirst("private-key: [^,]+", "private-key: " + other.privateKey()),
        "is not the key of the first certificate"
      }
    };
    for (String[] bad : cases) {
      err.reset();
      Files.writeString(Path.of(file), bad[0]);
      assertThat(BillingCommand.run("check", "--config", file)).isEqualTo(78);
      assertThat(err.toString(StandardCharsets.UTF_8)).contains(bad[1]).hasLineCount(1);
    }
  }

  @Test
  void anUnavailableDatabaseGivesOneLineAndExitCode69() throws Exception {
    String file = configuration("");
    Files.writeString(
        Path.of(file),
        Files.readString(Path.of(file))
            .replaceAll("jdbc:postgresql://127.0.0.1:\\d+", "jdbc:postgresql://127.0.0.1:1"));
    assertThat(BillingCommand.run("verify", "--config", file)).isEqualTo(69);
    assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("danum-billing: ");
  }

  @Test
  void wrongUsageEndsWith64() {
    assertThat(BillingCommand.run("run")).isEqualTo(64);
    assertThat(BillingCommand.run("fly")).isEqualTo(64);
  }

  @Test
  void aDraftOfATariffThatIsRefusedEndsWith78AndItsRule() throws Exception {
    Path draft =
        Files.writeString(
            folder.resolve("draft.json"),
            SeedTariff.document().replace("\"cap\":0.3", "\"cap\":1.3"));
    assertThat(BillingCommand.run("day", "--tariff", draft.toString())).isEqualTo(78);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("discount: cap must be between 0 and 1, got 1.3");
    assertThat(BillingCommand.run("prices", "--tariff", folder + "/none.yml")).isEqualTo(69);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("none.yml does not exist");
  }
}
