package io.viaduct.testbed.pki;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;

/// The operator's certificate authority of one run. Everything is written as PEM under one
/// directory: `ca.pem`, `<name>.pem`, `<name>.key` (PKCS#8, mode 600).
public final class OperatorAuthority {
  private final Path directory;
  private final X509Bundle root;
  private final CertificateBuilder template;

  /// @param now valid from an hour before, for a day
  public OperatorAuthority(Path directory, Instant now) throws Exception {
    this.directory = directory;
    this.template =
        new CertificateBuilder()
            .notBefore(now.minus(Duration.ofHours(1)))
            .notAfter(now.plus(Duration.ofDays(1)))
            .algorithm(CertificateBuilder.Algorithm.ecp256);
    this.root =
        template
            .copy()
            .subject("CN=Viaduct laboratory authority,O=Viaduct")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    Files.writeString(authority(), root.getCertificatePEM());
  }

  /// The trust anchor.
  public Path authority() {
    return directory.resolve("ca.pem");
  }

  public Path certificate(String name) {
    return directory.resolve(name + ".pem");
  }

  public Path key(String name) {
    return directory.resolve(name + ".key");
  }

  /// Issues a certificate for client and server use.
  ///
  /// @param name common name and file name
  /// @param address the IP address that goes into the alternative names, beside the name itself
  public void issue(String name, String address) throws Exception {
    X509Bundle bundle =
        template
            .copy()
            .subject("CN=" + name + ",O=Viaduct")
            .addSanDnsName(name)
            .addSanDnsName("localhost")
            .addSanIpAddress(address)
            .addSanIpAddress("127.0.0.1")
            .buildIssuedBy(root);
    Files.writeString(certificate(name), bundle.getCertificatePathPEM());
    writeSecret(key(name), bundle.getPrivateKeyPEM());
  }

  /// Writes a file that only its owner reads.
  public static Path writeSecret(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, text);
  }
}
