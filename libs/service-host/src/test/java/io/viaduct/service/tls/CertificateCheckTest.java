package io.viaduct.service.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.configuration.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateCheckTest {
  private static final Instant NOW = Instant.now();

  @TempDir Path folder;
  private TestAuthority authority;
  private TlsSettings files;

  @BeforeEach
  void issue() throws Exception {
    authority = new TestAuthority(folder.resolve("own"));
    files = authority.issue("snapt-1", "192.0.2.7");
  }

  private static void isRefused(ThrowingCallable check, String... words) {
    assertThatThrownBy(check)
        .isInstanceOf(ConfigurationException.class)
        .message()
        .contains(words)
        .hasLineCount(1);
  }

  @Test
  void aCertificateThatPeersAcceptPasses() {
    CertificateCheck check =
        CertificateCheck.of(files, NOW)
            .commonName("id", "snapt-1")
            .host("control.host", "LOCALHOST")
            .host("control.host", "192.0.2.7");
    assertThat(check.material().chain()).isNotEmpty();
  }

  @Test
  void anExpiredCertificateIsRefused() {
    X509Certificate own = CertificateCheck.of(files, NOW).material().chain().getFirst();
    Instant late = own.getNotAfter().toInstant().plus(Duration.ofSeconds(1));
    isRefused(
        () -> CertificateCheck.of(files, late), "expired at", late.toString(), "issue it again");
    Instant early = own.getNotBefore().toInstant().minus(Duration.ofDays(400));
    isRefused(() -> CertificateCheck.of(files, early), "is not valid before", "clock");
  }

  @Test
  void anotherCommonNameIsRefused() {
    isRefused(
        () -> CertificateCheck.of(files, NOW).commonName("id", "snapt-2"),
        files.certificate().toString(),
        "'snapt-1'",
        "'snapt-2'",
        "correct id");
  }

  @Test
  void aHostThatIsNotNamedIsRefused() {
    for (String host : new String[] {"relay.example", "192.0.2.8", "host", "notlocalhost"}) {
      isRefused(
          () -> CertificateCheck.of(files, NOW).host("control.host", host),
          "'" + host + "'",
          "correct control.host");
    }
  }

  @Test
  void aForeignAuthorityIsRefused() throws Exception {
    Path foreign = new TestAuthority(folder.resolve("foreign")).trust();
    TlsSettings mixed = new TlsSettings(files.certificate(), files.privateKey(), foreign);
    isRefused(() -> CertificateCheck.of(mixed, NOW), "is not signed by", foreign.toString());
  }

  @Test
  void aTrustFileThatNoPeersCertificateCanBeCheckedWithIsRefusedByItsKey() throws Exception {
    Path trust = files.trust();
    assertThat(CertificateCheck.authorities("trust", trust, NOW)).hasSize(1);
    isRefused(
        () -> CertificateCheck.authorities("trust", files.certificate(), NOW),
        "trust: " + files.certificate(),
        "'snapt-1' is not an authority's");
    isRefused(
        () ->
            CertificateCheck.of(
                new TlsSettings(files.certificate(), files.privateKey(), files.certificate()), NOW),
        "tls.trust: " + files.certificate(),
        "is not an authority's");
    Instant late = NOW.plus(Duration.ofDays(36_500));
    isRefused(
        () -> CertificateCheck.authorities("trust", trust, late),
        "trust: " + trust,
        "expired at",
        late.toString());
    isRefused(
        () -> CertificateCheck.authorities("trust", folder.resolve("none.pem"), NOW),
        "trust: " + folder.resolve("none.pem"),
        "does not exist");
    Path broken =
        Files.writeString(
            folder.resolve("broken.pem"),
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    isRefused(
        () -> CertificateCheck.authorities("trust", broken, NOW),
        "trust: " + broken,
        "certificate 1 cannot be read");
  }

  @Test
  void theKeyOfAnotherCertificateIsRefused() throws Exception {
    TlsSettings other = authority.issue("snapt-2");
    TlsSettings mixed = new TlsSettings(files.certificate(), other.privateKey(), files.trust());
    isRefused(() -> CertificateCheck.of(mixed, NOW), "is not the key of");
  }

  @Test
  void aKeyThatTheGroupMayReadIsRefusedWithTheCommandThatMendsIt() throws Exception {
    Files.setPosixFilePermissions(files.privateKey(), PosixFilePermissions.fromString("rw-r-----"));
    isRefused(
        () -> CertificateCheck.of(files, NOW), "rw-r-----", "chmod 600 " + files.privateKey());
  }
}
