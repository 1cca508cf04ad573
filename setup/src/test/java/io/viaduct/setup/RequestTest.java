package io.viaduct.setup;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.setup.installation.HostName;
import io.viaduct.setup.pki.Authority;
import io.viaduct.setup.pki.CertificateRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A SNAPT's keys are made on its own machine, and the operator signs a request.
class RequestTest {
  @TempDir private Path temporary;
  private Path operators;
  private Path owners;

  @BeforeEach
  void install() {
    operators = temporary.resolve("operator");
    owners = temporary.resolve("owner");
    SetupRun run =
        SetupRun.of(
            "--domain", "ims.test", "--host", "198.51.100.7", "--out", operators.toString());
    assertThat(run.code()).as(run.err()).isZero();
  }

  private SetupRun request(String... more) {
    var words = new ArrayList<>(List.of("request", "snapt-9", "--host", "relay.example"));
    words.addAll(
        List.of(
            "--bridge-host", "198.51.100.7", "--domain", "ims.test", "--out", owners.toString()));
    words.addAll(List.of(more));
    return SetupRun.of(words.toArray(String[]::new));
  }

  private Path own(String file) {
    return owners.resolve("snapt-9").resolve(file);
  }

  private SetupRun sign(Instant now, Path file, String name, String... hosts) {
    var words = new ArrayList<>(List.of("sign", file.toString(), name));
    words.addAll(List.of("--out", operators.toString()));
    for (String host : hosts) {
      words.addAll(List.of("--host", host));
    }
    return SetupRun.at(now, words.toArray(String[]::new));
  }

  private SetupRun sign(String name, String... hosts) {
    return sign(SetupRun.NOW, own("snapt-9.csr"), name, hosts);
  }

  private void refused(SetupRun run, String words) {
    assertThat(run.code()).as(run.err()).isEqualTo(78);
    assertThat(run.err()).contains(words);
    assertThat(operators.resolve("signed")).doesNotExist();
  }

  private CertificateCheck fetched(Instant now) throws IOException {
    Path signed = operators.resolve("signed/snapt-9");
    for (String file : List.of("snapt-9.pem", "ca.pem")) {
      Files.copy(signed.resolve(file), own(file), StandardCopyOption.REPLACE_EXISTING);
    }
    return CertificateCheck.of(
        new TlsSettings(own("snapt-9.pem"), own("snapt-9.key"), own("ca.pem")), now);
  }

  @Test
  void theSignedCertificateFitsTheKeyThatNeverLeftTheMachineAndNamesIdAndHosts() throws Exception {
    SetupRun asked = request("--host", "2001:db8::5");
    assertThat(asked.code()).as(asked.err()).isZero();
    assertThat(asked.out())
        .contains("setup sign snapt-9.csr snapt-9 --host relay.example --host 2001:db8::5");
    assertThat(Files.readString(own("snapt-9.csr"))).doesNotContain("PRIVATE");
    SetupRun signed = sign("snapt-9", "2001:db8:0::5", "relay.example");
    assertThat(signed.code()).as(signed.err()).isZero();
    fetched(SetupRun.NOW)
        .commonName("id", "snapt-9")
        .host("control.host", "relay.example")
        .host("control.host", "2001:db8::5");
    assertThat(Files.readString(own("snapt-9.yml")))
        .contains("id: \"snapt-9\"", "bridge-host: \"198.51.100.7\"", "report-key: report.key");
  }

  @Test
  void theSameRequestIsSignedAgainToRenewTheCertificate() throws Exception {
    request();
    sign("snapt-9", "relay.example");
    Instant later = SetupRun.NOW.plus(Duration.ofDays(340));
    SetupRun again = sign(later, own("snapt-9.csr"), "snapt-9", "relay.example");
    assertThat(again.out()).containsPattern("changed +\\S+snapt-9.pem");
    var unused = fetched(later.plus(Duration.ofDays(300)));
  }

  @Test
  void aSecondRunKeepsKeysAndRequest() throws IOException {
    request();
    String before = Files.readString(own("snapt-9.csr"));
    assertThat(request().out()).contains("kept").doesNotContain("made");
    assertThat(Files.readString(own("snapt-9.csr"))).isEqualTo(before);
  }

  @Test
  void aRequestWithOtherHostsOrAnotherNameThanAgreedIsRefused() {
    request("--host", "198.51.100.9");
    refused(sign("snapt-9", "relay.example"), "it names the hosts [relay.example, 198.51.100.9]");
    refused(sign("snapt-8", "relay.example", "198.51.100.9"), "the request of 'snapt-9'");
  }

  @ParameterizedTest
  @CsvSource({"snapt-1,relay.example,with keys of its own", "snapt-9,198.51.100.7,has the host"})
  void theNameAndTheHostOfAnotherAreRefused(String name, String host, String words)
      throws IOException {
    KeyPair pair = Authority.newKeyPair();
    Path file =
        Files.writeString(
            temporary.resolve("forged.csr"),
            CertificateRequest.text(name, List.of(new HostName(host)), pair));
    refused(sign(SetupRun.NOW, file, name, host), words);
  }

  @Test
  void theNameOfAServiceIsRefused() throws IOException {
    Path file =
        Files.writeString(
            temporary.resolve("bridge.csr"),
            CertificateRequest.text(
                "ims-bridge", List.of(new HostName("relay.example")), Authority.newKeyPair()));
    SetupRun run = sign(SetupRun.NOW, file, "ims-bridge", "relay.example");
    assertThat(run.code()).isNotZero();
    assertThat(run.err()).contains("must differ from a service's name");
    assertThat(operators.resolve("signed")).doesNotExist();
  }

  @Test
  void aRequestThatIsChangedOrHasAnotherKindOfKeyIsRefused() throws Exception {
    request();
    String[] lines = Files.readString(own("snapt-9.csr")).lines().toArray(String[]::new);
    byte[] der =
        Base64.getMimeDecoder()
            .decode(String.join("", List.of(lines).subList(1, lines.length - 1)));
    der[der.length - 1] ^= 1; // of the signature
    Path changed = temporary.resolve("changed.csr");
    Files.writeString(
        changed,
        "-----BEGIN CERTIFICATE REQUEST-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
            + "\n-----END CERTIFICATE REQUEST-----\n");
    refused(
        sign(SetupRun.NOW, changed, "snapt-9", "relay.example"), "is not signed with its own key");
    KeyPairGenerator other = KeyPairGenerator.getInstance("EC");
    other.initialize(384);
    Files.writeString(
        changed,
        CertificateRequest.text(
            "snapt-9", List.of(new HostName("relay.example")), other.generateKeyPair()));
    refused(sign(SetupRun.NOW, changed, "snapt-9", "relay.example"), "on the curve P-256");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no request",
        "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n",
        "-----BEGIN CERTIFICATE REQUEST-----\n!\n"
      })
  void aFileThatIsNoRequestIsRefused(String text) throws IOException {
    Path file = Files.writeString(temporary.resolve("none.csr"), text);
    refused(sign(SetupRun.NOW, file, "snapt-9", "relay.example"), "the certificate request");
    Files.writeString(file, "x".repeat(20_000));
    refused(sign(SetupRun.NOW, file, "snapt-9", "relay.example"), "must have at most 16384 bytes");
  }
}
