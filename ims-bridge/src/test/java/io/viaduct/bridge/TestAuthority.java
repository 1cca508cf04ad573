package io.viaduct.bridge;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;

/// A certificate authority of one test, its PEM files in one directory.
final class TestAuthority {
  private final Path directory;
  private final X509Bundle root;
  private final CertificateBuilder template =
      new CertificateBuilder()
          .notBefore(Instant.now().minus(Duration.ofHours(1)))
          .notAfter(Instant.now().plus(Duration.ofDays(1)))
          .algorithm(CertificateBuilder.Algorithm.ecp256);

  TestAuthority(Path directory, String name) throws Exception {
    this.directory = Files.createDirectories(directory.resolve(name));
    this.root =
        template.copy().subject("CN=" + name).setIsCertificateAuthority(true).buildSelfSigned();
    Files.writeString(this.directory.resolve("ca.pem"), root.getCertificatePEM());
  }

  TlsSettings issue(String name) throws Exception {
    X509Bundle bundle =
        template
            .copy()
            .subject("CN=" + name)
            .addSanDnsName("localhost")
            .addSanIpAddress("127.0.0.1")
            .buildIssuedBy(root);
    Path certificate = directory.resolve(name + ".pem");
    Files.writeString(certificate, bundle.getCertificatePathPEM());
    return new TlsSettings(
        certificate,
        secret(directory.resolve(name + ".key"), bundle.getPrivateKeyPEM()),
        directory.resolve("ca.pem"));
  }

  TlsMaterial material(String name) throws Exception {
    return TlsMaterial.load(issue(name));
  }

  static Path secret(Path file, String text) throws Exception {
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, text);
  }
}
