package io.viaduct.billing;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.viaduct.service.tls.TlsSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// A certificate authority that lives as long as a test.
public final class TestAuthority {
  private final Path folder;
  private final X509Bundle root;

  public TestAuthority(Path folder) throws Exception {
    this.folder = folder;
    this.root =
        new CertificateBuilder()
            .subject("CN=test authority")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
  }

  public TlsSettings issue(String commonName) throws Exception {
    X509Bundle bundle =
        new CertificateBuilder()
            .subject("CN=" + commonName)
            .addSanDnsName("localhost")
            .addSanIpAddress("127.0.0.1")
            .buildIssuedBy(root);
    Path certificate = folder.resolve(commonName + ".pem");
    Path key = folder.resolve(commonName + ".key");
    Path trust = folder.resolve("ca.pem");
    Files.writeString(certificate, bundle.getCertificatePEM());
    Files.writeString(key, bundle.getPrivateKeyPEM());
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(trust, root.getCertificatePEM());
    return new TlsSettings(certificate, key, trust);
  }
}
