package io.viaduct.setup.pki;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.setup.installation.HostName;
import java.security.KeyPair;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AuthorityTest {
  private static final Instant NOW = Instant.parse("2026-11-23T10:00:00Z");
  private static final List<HostName> HOSTS =
      List.of(
          new HostName("relay.example"), new HostName("198.51.100.7"), new HostName("2001:db8::5"));

  private final KeyPair pair = Authority.newKeyPair();
  private final Authority authority =
      new Authority(Authority.selfSigned(pair, "ims.test", NOW), pair.getPrivate());

  private static void validate(X509Certificate certificate, X509Certificate trusted, Instant at)
      throws Exception {
    var parameters = new PKIXParameters(Set.of(new TrustAnchor(trusted, null)));
    parameters.setRevocationEnabled(false);
    parameters.setDate(Date.from(at));
    var path = CertificateFactory.getInstance("X.509").generateCertPath(List.of(certificate));
    var unused = CertPathValidator.getInstance("PKIX").validate(path, parameters);
  }

  @Test
  void theAuthorityMayIssueCertificatesButNoFurtherAuthority() {
    X509Certificate certificate = authority.certificate();
    assertThat(certificate.getBasicConstraints()).isZero();
    assertThat(certificate.getCriticalExtensionOIDs()).contains("2.5.29.15", "2.5.29.19");
    assertThat(certificate.getKeyUsage()).startsWith(false, false, false, false, false, true, true);
    assertThat(certificate.getSubjectX500Principal().getName())
        .isEqualTo("CN=Viaduct authority of ims.test,O=Viaduct");
  }

  @Test
  void aServicesCertificateNamesItsHostsForBothEndsOfTls() throws Exception {
    X509Certificate issued =
        authority.issue("snapt-1", HOSTS, Authority.newKeyPair().getPublic(), NOW);
    assertThat(issued.getSubjectX500Principal().getName()).isEqualTo("CN=snapt-1,O=Viaduct");
    assertThat(Certificates.names(issued))
        .containsExactlyInAnyOrder("relay.example", "198.51.100.7", "2001:db8:0:0:0:0:0:5");
    assertThat(issued.getBasicConstraints()).isEqualTo(-1);
    assertThat(issued.getKeyUsage()).startsWith(true, false, false, false, false, false, false);
    assertThat(issued.getExtendedKeyUsage())
        .containsExactlyInAnyOrder("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2");
    validate(issued, authority.certificate(), NOW);
  }

  @Test
  void aCertificateLivesAYearAndToleratesAClockThatIsAnHourBehind() throws Exception {
    X509Certificate issued = authority.issue("a", HOSTS, Authority.newKeyPair().getPublic(), NOW);
    assertThat(issued.getNotBefore().toInstant()).isEqualTo(NOW.minus(Duration.ofHours(1)));
    assertThat(issued.getNotAfter().toInstant()).isEqualTo(NOW.plus(Duration.ofDays(365)));
    validate(issued, authority.certificate(), NOW.minus(Duration.ofMinutes(59)));
  }

  @Test
  void aCertificateEndsNoLaterThanTheAuthority() {
    Instant late = NOW.plus(Duration.ofDays(3600));
    X509Certificate issued = authority.issue("a", HOSTS, Authority.newKeyPair().getPublic(), late);
    assertThat(issued.getNotAfter()).isEqualTo(authority.certificate().getNotAfter());
  }

  @Test
  void serialNumbersArePositiveAndDiffer() {
    var one = authority.issue("a", HOSTS, pair.getPublic(), NOW).getSerialNumber();
    var other = authority.issue("a", HOSTS, pair.getPublic(), NOW).getSerialNumber();
    assertThat(one).isPositive().isNotEqualTo(other);
    assertThat(one.toByteArray()).hasSizeLessThanOrEqualTo(20); // RFC 5280 section 4.1.2.2
  }

  @Test
  void theAuthoritysNextCertificateHoldsForWhatItHasIssuedBeforeAndAfter() throws Exception {
    X509Certificate before = authority.issue("a", HOSTS, Authority.newKeyPair().getPublic(), NOW);
    Instant later = NOW.plus(Duration.ofDays(1));
    X509Certificate next = Authority.selfSigned(pair, "ims.test", later);
    X509Certificate after =
        new Authority(next, pair.getPrivate())
            .issue("b", HOSTS, Authority.newKeyPair().getPublic(), later);
    validate(before, next, later);
    validate(after, authority.certificate(), later);
  }

  @Test
  void theKeyAppearsInNoText() {
    assertThat(authority.toString())
        .isEqualTo("Authority(CN=Viaduct authority of ims.test, O=Viaduct)");
  }
}
