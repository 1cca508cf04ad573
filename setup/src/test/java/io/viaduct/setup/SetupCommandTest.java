package io.viaduct.setup;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.setup.pki.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SetupCommandTest {
  @TempDir private Path temporary;

  private Path root() {
    return temporary.resolve("deep/installation");
  }

  private SetupRun run(String... arguments) {
    return at(SetupRun.NOW, arguments);
  }

  private SetupRun at(Instant now, String... arguments) {
    var words = new ArrayList<>(List.of(arguments));
    words.addAll(List.of("--out", root().toString()));
    return SetupRun.at(now, words.toArray(String[]::new));
  }

  private SetupRun install(String... more) {
    var words = new ArrayList<>(List.of("--domain", "ims.test", "--host", "198.51.100.7"));
    words.addAll(List.of(more));
    SetupRun run = run(words.toArray(String[]::new));
    assertThat(run.code()).as(run.err()).isZero();
    return run;
  }

  private String read(String file) throws IOException {
    return Files.readString(root().resolve(file));
  }

  private Map<String, String> files() throws IOException {
    var all = new TreeMap<String, String>();
    try (Stream<Path> files = Files.walk(root())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.put(root().relativize(file).toString(), Files.readString(file));
      }
    }
    return all;
  }

  @Test
  void everyFileIsOpenToItsOwnerOnly() throws IOException {
    install();
    try (Stream<Path> files = Files.walk(root())) {
      assertThat(files)
          .allSatisfy(file ->
              assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                  .as(file.toString())
                  .isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------"));
    }
  }

  @Test
  void theKeyOfTheAuthorityLiesInADirectoryOfItsOwn() throws IOException {
    install();
    String key = read("authority/ca.key");
    assertThat(files())
        .allSatisfy((file, text) -> {
          if (!file.equals("authority/ca.key")) {
            assertThat(text).as(file).doesNotContain(key.substring(30, 80));
          }
        });
  }

  @Test
  void certificatesFitTheirKeysAndNameTheHosts() throws IOException {
    install("--host", "relay.example");
    for (String service : List.of("danum-billing", "ims-bridge", "snapt-1")) {
      Path own = root().resolve(service);
      var settings =
          new TlsSettings(
              own.resolve(service + ".pem"), own.resolve(service + ".key"), own.resolve("ca.pem"));
      assertThat(TlsMaterial.load(settings).chain()).hasSize(1);
      assertThat(run().out()).contains("Certificates end on 2027-11-23");
    }
  }

  @Test
  void aSecondRunKeepsEveryByteAndSaysSo() throws IOException {
    install();
    Map<String, String> before = files();
    SetupRun again = install();
    assertThat(files()).isEqualTo(before);
    assertThat(again.out()).contains("kept").doesNotContain("made", "changed");
    SetupRun short_ = run();
    assertThat(short_.code()).isZero();
    assertThat(files()).isEqualTo(before);
    assertThat(short_.out().lines().filter(line -> line.contains(" run --config ")))
        .isEqualTo(again.out().lines().filter(line -> line.contains(" run --config ")).toList());
  }

  @Test
  void whatIsMissingIsMadeAgainWithoutTouchingTheRest() throws IOException {
    install();
    Map<String, String> before = files();
    Files.delete(root().resolve("webgui/webgui.yml"));
    Files.writeString(
        root().resolve("ims-bridge/ims-bridge.yml"),
        "# mine\n" + read("ims-bridge/ims-bridge.yml"));
    SetupRun again = run();
    assertThat(again.out()).containsPattern("made +\\S+webgui.yml");
    assertThat(read("webgui/webgui.yml")).isEqualTo(before.get("webgui/webgui.yml"));
    assertThat(read("ims-bridge/ims-bridge.yml")).startsWith("# mine\n");
  }

  @Test
  void aKeyWithoutItsCertificateStopsTheRun() throws IOException {
    install();
    Files.delete(root().resolve("ims-bridge/ims-bridge.pem"));
    SetupRun again = run();
    assertThat(again.code()).isEqualTo(78);
    assertThat(again.err()).contains("ims-bridge.key is there", "ims-bridge.pem is missing");
  }

  @Test
  void otherFactsThanThoseOfTheInstallationAreRefused() throws IOException {
    install();
    Map<String, String> before = files();
    for (String[] other :
        new String[][] {
          {"--domain", "other.test", "--host", "198.51.100.7"},
          {"--domain", "ims.test", "--host", "198.51.100.8"},
          {"--host", "198.51.100.7"},
          {"--domain", "ims.test", "--host", "198.51.100.7", "--region", "north"}
        }) {
      SetupRun run = run(other);
      assertThat(run.code()).as(String.join(" ", other)).isEqualTo(78);
      assertThat(run.err()).contains("setup.yml");
    }
    assertThat(files()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "IMS.test", "a b", "ims.test:5060"})
  void aBadDomainIsRefusedBeforeAnythingIsMade(String domain) {
    SetupRun run = run("--domain", domain, "--host", "198.51.100.7");
    assertThat(run.code()).isEqualTo(64);
    assertThat(run.err()).contains("domain").contains("got " + domain);
    assertThat(root()).doesNotExist();
  }

  @Test
  void aFirstRunWithoutFactsSaysWhichItNeeds() {
    SetupRun run = run();
    assertThat(run.code()).isEqualTo(64);
    assertThat(run.err()).contains("--domain DOMAIN --host HOST");
  }

  @Test
  void thePasswordIsShownWhenAskedForOnly() throws IOException {
    SetupRun run = install();
    String password = read("danum-billing/operator.password").strip();
    assertThat(run.out()).contains("danum-billing/operator.password").doesNotContain(password);
    assertThat(run("--show-password").out()).contains("operator, " + password);
  }

  @Test
  void noSecretIsPrinted() throws IOException {
    SetupRun run = install();
    for (String secret : List.of("ims-bridge/rest.token", "danum-billing/operator.password")) {
      assertThat(run.out()).doesNotContain(read(secret).strip());
    }
    assertThat(run.out()).doesNotContain("PRIVATE KEY");
  }

  @Test
  void servicesOnHostsOfTheirOwnListenForEachOther() throws IOException {
    SetupRun run =
        install(
            "--snapt-host",
            "relay.example",
            "--billing-host",
            "10.0.0.3",
            "--webgui-host",
            "10.0.0.4");
    assertThat(read("danum-billing/danum-billing.yml"))
        .contains("grpc: {host: 0.0.0.0}")
        .contains("trusted-proxies: [\"127.0.0.0/8\", \"::1\", \"10.0.0.4\"]");
    assertThat(read("ims-bridge/ims-bridge.yml"))
        .contains("billing: {host: \"10.0.0.3\"}", "rest: {host: 0.0.0.0, token-file: rest.token}");
    assertThat(read("snapt-1/snapt-1.yml"))
        .contains("control: {host: \"relay.example\"}", "bridge-host: \"198.51.100.7\"");
    assertThat(read("webgui/webgui.yml"))
        .contains("\"http://10.0.0.3:8082\"", "\"http://198.51.100.7:8081\"");
    assertThat(run.out())
        .contains("Start on relay.example:", "Start on 10.0.0.3:", "Start on 10.0.0.4:")
        .containsPattern("10.0.0.3 +9443/tcp +from 198.51.100.7")
        .containsPattern("198.51.100.7 +7443/tcp +from relay.example");
  }

  @Test
  void servicesOnOneHostMeetOnLoopback() throws IOException {
    install();
    assertThat(read("danum-billing/danum-billing.yml")).doesNotContain("0.0.0.0");
    assertThat(read("ims-bridge/ims-bridge.yml")).contains("billing: {host: 127.0.0.1}");
    assertThat(read("snapt-1/snapt-1.yml")).contains("bridge-host: 127.0.0.1");
  }

  @Test
  void aPostgresqlOfTheOperatorsOwnIsNamedWithAPasswordFile() throws IOException {
    install("--database-url", "jdbc:postgresql://db.example:5432/viaduct");
    assertThat(read("danum-billing/danum-billing.yml"))
        .contains(
            """
            database:
              url: "jdbc:postgresql://db.example:5432/viaduct"
              user: "viaduct"
              password-file: database.password
              owner-user: "viaduct_owner"
              owner-password-file: database-owner.password
            """)
        .doesNotContain("data-directory");
    assertThat(read("danum-billing/database.password").strip()).hasSize(24);
    assertThat(read("danum-billing/database-owner.password").strip())
        .hasSize(24)
        .isNotEqualTo(read("danum-billing/database.password").strip());
  }

  @Test
  void aFurtherSnaptGetsItsDirectoryAndIsEnrolledByBilling() throws IOException {
    install();
    SetupRun run = run("snapt", "snapt-2", "--host", "2001:db8::5", "--owner", "acme");
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(read("danum-billing/danum-billing.yml"))
        .containsPattern(
            "- \\{id: \"snapt-1\".*\\n"
                + " +- \\{id: \"snapt-2\", report-key: \"[^\"]{44}\", owner: \"acme\"");
    assertThat(read("ims-bridge/ims-bridge.yml")).doesNotContain("snapt-");
    assertThat(read("snapt-2/snapt-2.yml"))
        .contains("control: {host: \"2001:db8::5\"}")
        .doesNotContain("owner");
    assertThat(run.out()).contains("systemctl reload viaduct-danum-billing", "root@[2001:db8::5]:");
    Map<String, String> before = files();
    assertThat(run("snapt", "snapt-2", "--host", "2001:db8::5", "--owner", "acme").code()).isZero();
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void aSnaptThatIsThereWithOtherHostsIsNotChanged() throws IOException {
    install();
    Map<String, String> before = files();
    SetupRun run = run("snapt", "snapt-1", "--host", "relay.example");
    assertThat(run.code()).isEqualTo(78);
    assertThat(run.err()).contains("snapt-1", "setup.yml");
    assertThat(files()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"webgui", "authority", "../x", "a/b", ".hidden", ""})
  void aSnaptNeedsANameOfItsOwn(String name) throws IOException {
    install();
    Map<String, String> before = files();
    assertThat(run("snapt", name, "--host", "relay.example").code()).isEqualTo(64);
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void twoSnaptsOnOneMachineAreRefused() {
    install();
    SetupRun run = run("snapt", "snapt-2", "--host", "198.51.100.7");
    assertThat(run.code()).isEqualTo(64);
    assertThat(run.err()).contains("a machine has one SNAPT");
  }

  @Test
  void anInstallationIsNeededForASnaptAndForRenewal() {
    assertThat(run("snapt", "snapt-2", "--host", "relay.example").err())
        .contains("setup.yml is missing", "--domain DOMAIN");
    assertThat(run("renew").code()).isEqualTo(78);
  }

  @Test
  void nothingIsRenewedThatLivesLongEnough() throws IOException {
    install();
    Map<String, String> before = files();
    assertThat(run("renew").code()).isZero();
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void certificatesThatEndWithinAMonthAreRenewedForTheSameKeys() throws IOException {
    install();
    Map<String, String> before = files();
    Instant later = SetupRun.NOW.plus(Duration.ofDays(340));
    SetupRun run = at(later, "renew");
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).contains("renewed", "snapt-1.pem");
    for (String service : List.of("danum-billing", "ims-bridge", "snapt-1")) {
      assertThat(read(service + "/" + service + ".key"))
          .isEqualTo(before.get(service + "/" + service + ".key"));
      assertThat(
              Pem.certificate(root().resolve(service + "/" + service + ".pem"))
                  .getNotAfter()
                  .toInstant())
          .isEqualTo(later.plus(Duration.ofDays(365)));
    }
    assertThat(read("authority/ca.pem")).isEqualTo(before.get("authority/ca.pem"));
  }

  @Test
  void otherHostsInTheFactsNeedACertificateThatNamesThem() throws IOException {
    install();
    Path facts = root().resolve("setup.yml");
    Files.writeString(
        facts,
        Files.readString(facts)
            .replace("[\"198.51.100.7\"]", "[\"198.51.100.7\", \"relay.example\"]"));
    assertThat(run().out()).contains("does not name [relay.example]");
    assertThat(run("renew").out()).contains("renewed");
    assertThat(run().out()).doesNotContain("does not name");
  }

  @Test
  void theAuthoritysCertificateIsRenewedWhereverItIsTrusted() throws IOException {
    install();
    String before = read("authority/ca.pem");
    at(SetupRun.NOW.plus(Duration.ofDays(3000)), "renew");
    String after = read("authority/ca.pem");
    assertThat(after).isNotEqualTo(before);
    for (String service : List.of("danum-billing", "ims-bridge", "snapt-1")) {
      assertThat(read(service + "/ca.pem")).isEqualTo(after);
    }
  }

  @Test
  void withoutTheAuthoritysKeyNothingIsIssued() throws IOException {
    install();
    Files.delete(root().resolve("authority/ca.key"));
    SetupRun run = at(SetupRun.NOW.plus(Duration.ofDays(340)), "renew");
    assertThat(run.code()).isEqualTo(78);
    assertThat(run.err()).contains("ca.key is missing");
  }

  @Test
  void aUnitPerServiceRunsItWithoutTheRightsOfRoot() throws IOException {
    install();
    for (String service : List.of("danum-billing", "ims-bridge", "webgui", "snapt-1")) {
      assertThat(read("systemd/viaduct-" + service + ".service"))
          .contains("User=viaduct", "NoNewPrivileges=yes", "ProtectSystem=strict")
          .contains("run --config " + root().resolve(service).resolve(service + ".yml"));
    }
    assertThat(read("systemd/viaduct-ims-bridge.service")).contains("CapabilityBoundingSet=\n");
    assertThat(read("systemd/viaduct-snapt-1.service"))
        .contains("AmbientCapabilities=CAP_NET_ADMIN");
  }
}
