package io.viaduct.cnapt;

import io.netty.handler.ssl.SslContext;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.TlsMaterial;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Holds the operator's authorities, and the TLS context of the control connection. The file is
/// read and checked at once. The context is created at the first connection attempt and after each
/// reload, because TLS takes longer to load than the rest of the start. Any thread may call this
/// class.
final class TrustedAuthorities implements Supplier<SslContext> {
  private static final String KEY = "trust";

  private final InstantSource clock;
  private List<X509Certificate> certificates; // guarded by this
  private @Nullable SslContext made; // guarded by this

  /// @param trust PEM file
  /// @throws ConfigurationException if the file cannot be used to verify a SNAPT's certificate
  TrustedAuthorities(Path trust, InstantSource clock) {
    this.clock = clock;
    certificates = CertificateCheck.authorities(KEY, trust, clock.instant());
  }

  synchronized List<X509Certificate> certificates() {
    return certificates;
  }

  /// Returns the earliest expiry of the authorities.
  Instant expires() {
    return certificates().stream()
        .map(each -> each.getNotAfter().toInstant())
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /// Reads and checks another file of authorities, or the same file again.
  ///
  /// @return the action that lets the next connection use them
  /// @throws ConfigurationException as in the constructor; the former authorities stay in use
  Runnable prepare(Path next) {
    List<X509Certificate> read = CertificateCheck.authorities(KEY, next, clock.instant());
    SslContext context = TlsMaterial.anonymousClient(read);
    return () -> {
      synchronized (this) {
        certificates = read;
        made = context;
      }
    };
  }

  @Override
  public synchronized SslContext get() {
    SslContext context = made;
    if (context == null) {
      context = TlsMaterial.anonymousClient(certificates);
      made = context;
    }
    return context;
  }
}
