package io.viaduct.service.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Instant;

/// A certificate authority for one test; its PEM files are in one directory.
public final class TestAuthority {
  private final Path directory;
  private final X509Bundle root;

  /// @param directory directory of the files; created if it does not exist. Each authority needs
  ///   its own
  public TestAuthority(Path directory) throws Exception {
    this.directory = Files.createDirectories(directory);
    root =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=test authority")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    Files.writeString(trust(), root.getCertificatePEM());
  }

  /// Returns the file of the authority's certificate.
  public Path trust() {
    return directory.resolve("ca.pem");
  }

  /// Writes the PEM files of one process on this host.
  ///
  /// @param name common name, which is also an alternative name, besides localhost and 127.0.0.1
  /// @param addresses further alternative names
  public TlsSettings issue(String name, String... addresses) throws Exception {
    CertificateBuilder builder =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=" + name)
            .addSanDnsName("localhost")
            .addSanDnsName(name)
            .addSanIpAddress("127.0.0.1");
    for (String address : addresses) {
      builder.addSanIpAddress(address);
    }
    X509Bundle bundle = builder.buildIssuedBy(root);
    Path certificate =
        Files.writeString(directory.resolve(name + ".pem"), bundle.getCertificatePathPEM());
    Path key = secret(directory.resolve(name + ".key"), bundle.getPrivateKeyPEM());
    return new TlsSettings(certificate, key, trust());
  }

  /// Returns another certificate for the key and the name of an issued one, as PEM.
  ///
  /// @param names the alternative names, besides 127.0.0.1
  public String reissue(TlsMaterial issued, Instant end, String... names) throws Exception {
    X509Certificate before = issued.chain().getFirst();
    CertificateBuilder builder =
        new CertificateBuilder()
            .publicKey(before.getPublicKey())
            .subject(before.getSubjectX500Principal().getName())
            .notAfter(end)
            .addSanIpAddress("127.0.0.1");
    for (String name : names) {
      builder.addSanDnsName(name);
    }
    return builder.buildIssuedBy(root).getCertificatePEM();
  }

  /// Issues and loads the files of one process.
  public TlsMaterial material(String name, String... addresses) throws Exception {
    return TlsMaterial.load(issue(name, addresses));
  }

  /// Writes a file that only its owner may read.
  public static Path secret(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, text);
  }
}
