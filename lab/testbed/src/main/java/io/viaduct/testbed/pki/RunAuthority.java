package io.viaduct.testbed.pki;

import io.viaduct.service.tls.TlsSettings;
import io.viaduct.setup.installation.HostName;
import io.viaduct.setup.pki.Authority;
import io.viaduct.setup.pki.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;

/// The certificate authority of one run. It issues certificates as `viaduct setup` does.
public final class RunAuthority {
  private static final String DOMAIN = "ims.test";

  private final Path directory;
  private final InstantSource clock;
  private final Authority authority;

  /// @param directory of the files; the authority's certificate is its `ca.pem`
  public RunAuthority(Path directory, InstantSource clock) throws IOException {
    this.directory = directory;
    this.clock = clock;
    KeyPair pair = Authority.newKeyPair();
    X509Certificate certificate = Authority.selfSigned(pair, DOMAIN, clock.instant());
    authority = new Authority(certificate, pair.getPrivate());
    Files.writeString(trust(), Pem.text(certificate));
  }

  private Path trust() {
    return directory.resolve("ca.pem");
  }

  /// Writes the PEM files of one process.
  ///
  /// @param name common name, and name of the files
  /// @param others names and addresses to which peers connect, beside the common name
  public TlsSettings issue(String name, String... others) throws IOException {
    KeyPair pair = Authority.newKeyPair();
    List<HostName> hosts =
        Stream.concat(Stream.of(name), Stream.of(others)).map(HostName::new).toList();
    String issued = Pem.text(authority.issue(name, hosts, pair.getPublic(), clock.instant()));
    Path certificate = Files.writeString(directory.resolve(name + ".pem"), issued);
    Path key = secret(directory.resolve(name + ".key"), Pem.text(pair.getPrivate()));
    return new TlsSettings(certificate, key, trust());
  }

  /// Writes a new file that only its owner may read.
  public static Path secret(Path file, String text) throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, text);
  }
}
