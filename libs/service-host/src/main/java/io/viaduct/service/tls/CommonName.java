package io.viaduct.service.tls;

import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/// Reads the common name of a certificate's subject (RFC 5280 section 4.1.2.6), which names a
/// service.
public final class CommonName {
  private CommonName() {}

  /// Returns the first common name; empty if the subject has none or cannot be read.
  public static Optional<String> of(X509Certificate certificate) {
    try {
      for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
        if (part.getType().equalsIgnoreCase("CN")) {
          return Optional.of(part.getValue().toString());
        }
      }
    } catch (InvalidNameException _) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  /// Returns the common name of the other end; empty without a certificate.
  ///
  /// @param session null for a connection without TLS
  public static Optional<String> ofPeer(@Nullable SSLSession session) {
    try {
      return session != null
              && session.getPeerCertificates()[0] instanceof X509Certificate certificate
          ? of(certificate)
          : Optional.empty();
    } catch (SSLPeerUnverifiedException _) {
      return Optional.empty();
    }
  }
}
