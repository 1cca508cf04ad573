package io.viaduct.snapt;

import io.viaduct.service.storage.DurableFile;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/// Replaces the certificate of a SNAPT on disk. It is checked before it has its name: a start never
/// finds a certificate that no peer accepts.
final class CertificateFile {
  private CertificateFile() {}

  /// Stores certificates, the SNAPT's first.
  ///
  /// @param certificates PEM
  /// @param after time after which the certificate must end
  /// @return the files of the SNAPT with them; empty if the certificate ends too early, and nothing
  ///   has changed
  /// @throws io.viaduct.service.configuration.ConfigurationException if the certificate does not
  ///   fit the key, the id or the host; nothing has changed then
  /// @throws IOException if it cannot be written
  static Optional<TlsMaterial> store(
      SnaptConfiguration configuration, String certificates, Instant after, Instant now)
      throws IOException {
    TlsSettings tls = configuration.tls();
    Path unchecked =
        tls.certificate()
            .resolveSibling(tls.certificate().getFileName() + DurableFile.UNFINISHED + ".pem");
    DurableFile.write(unchecked, certificates.getBytes(StandardCharsets.US_ASCII));
    try {
      TlsMaterial checked =
          CertificateCheck.of(new TlsSettings(unchecked, tls.privateKey(), tls.trust()), now)
              .commonName("id", configuration.id())
              .host("control.host", configuration.control().host())
              .material();
      if (!checked.chain().getFirst().getNotAfter().toInstant().isAfter(after)) {
        return Optional.empty();
      }
      DurableFile.move(unchecked, tls.certificate());
      return Optional.of(checked);
    } finally {
      Files.deleteIfExists(unchecked);
    }
  }
}
