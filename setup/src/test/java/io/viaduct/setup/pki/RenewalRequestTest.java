package io.viaduct.setup.pki;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.tls.RenewalRequest;
import io.viaduct.setup.installation.HostName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The requests that running SNAPTs make, read by the library that makes those of setup.
class RenewalRequestTest {
  private static final Instant NOW = Instant.parse("2026-11-23T10:00:00Z");

  @TempDir Path folder;

  private CertificateRequest renewed(List<HostName> hosts) throws Exception {
    KeyPair ofAuthority = Authority.newKeyPair();
    Authority authority =
        new Authority(Authority.selfSigned(ofAuthority, "ims.test", NOW), ofAuthority.getPrivate());
    KeyPair own = Authority.newKeyPair();
    X509Certificate current = authority.issue("snapt-1", hosts, own.getPublic(), NOW);
    Path file =
        Files.writeString(
            folder.resolve("snapt-1.csr"), RenewalRequest.of(current, own.getPrivate()));
    CertificateRequest request = CertificateRequest.read(file);
    assertThat(request.key()).isEqualTo(own.getPublic());
    return request;
  }

  @Test
  void aRenewalAsksForNameHostsAndKeyOfThePresentCertificate() throws Exception {
    List<HostName> hosts = List.of(new HostName("relay.example"), new HostName("198.51.100.7"));
    CertificateRequest request = renewed(hosts);
    assertThat(request.name()).isEqualTo("snapt-1");
    assertThat(request.hosts()).isEqualTo(hosts);
  }

  @Test
  void aRequestOfManyHostsHasLengthsOfSeveralBytes() throws Exception {
    List<HostName> hosts = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      hosts.add(new HostName("relay-%d.of-a-long-name.example".formatted(i)));
    }
    assertThat(renewed(hosts).hosts()).isEqualTo(hosts);
  }
}
