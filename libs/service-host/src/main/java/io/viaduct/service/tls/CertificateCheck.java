package io.viaduct.service.tls;

import io.viaduct.service.configuration.ConfigurationException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// Checks TLS files before a process starts with them, and refuses those that every peer would
/// refuse. Each refusal names the key, the file, the rule and the remedy.
public final class CertificateCheck {
  // RFC 5280 section 4.2.1.6: kinds of a subject alternative name.
  private static final int DNS_NAME = 2;
  private static final int IP_ADDRESS = 7;
  private static final String CERTIFICATE_KEY = "tls.certificate";
  private static final String ISSUE = "issue it again (docs/operator.md, Certificates and keys)";

  private final TlsSettings files;
  private final TlsMaterial material;

  private CertificateCheck(TlsSettings files, TlsMaterial material) {
    this.files = files;
    this.material = material;
  }

  /// Reads the files and checks that the certificates are valid now, and that an authority of
  /// `tls.trust` has signed the process's certificate.
  ///
  /// @throws ConfigurationException naming the file and what to do
  public static CertificateCheck of(TlsSettings files, Instant now) {
    CertificateCheck check = new CertificateCheck(files, TlsMaterial.load(files));
    authorities("tls.trust", files.trust(), check.material.authorities(), now);
    check
        .material
        .chain()
        .forEach(certificate -> valid(CERTIFICATE_KEY, files.certificate(), certificate, now));
    check.signed(now);
    return check;
  }

  /// Checks that the certificates of a server are valid now. Clients know their authority.
  ///
  /// @param key configuration key that names the file
  /// @throws ConfigurationException naming the key, the file and what to do
  public static void server(String key, Path file, TlsMaterial material, Instant now) {
    material.chain().forEach(certificate -> valid(key, file, certificate, now));
  }

  /// Reads and checks the authorities of a process that has no certificate of its own.
  ///
  /// @param key configuration key that names the file
  /// @throws ConfigurationException naming the key, the file and what to do
  public static List<X509Certificate> authorities(String key, Path trust, Instant now) {
    List<X509Certificate> authorities;
    try {
      authorities = PemFile.certificates(trust);
    } catch (ConfigurationException e) {
      throw new ConfigurationException(key + ": " + e.getMessage());
    }
    authorities(key, trust, authorities, now);
    return authorities;
  }

  /// Checks the common name of the certificate.
  ///
  /// @param key configuration key that holds the expected name
  public CertificateCheck commonName(String key, String name) {
    String found = CommonName.of(own()).orElse("");
    if (!found.equals(name)) {
      throw refused(
          CERTIFICATE_KEY,
          files.certificate(),
          "its common name is '%s', must be '%s' as %s says: correct %s, or %s"
              .formatted(found, name, key, key, ISSUE));
    }
    return this;
  }

  /// Checks that the certificate names the host that peers connect to.
  ///
  /// @param key configuration key that holds the host
  public CertificateCheck host(String key, String host) {
    List<String> names = alternativeNames(own());
    if (names.stream().noneMatch(name -> matches(name, host))) {
      throw refused(
          CERTIFICATE_KEY,
          files.certificate(),
          "it names %s, must name '%s', the host that peers connect to (%s): correct %s, or %s"
              .formatted(names, host, key, key, ISSUE));
    }
    return this;
  }

  /// Returns the content of the files.
  public TlsMaterial material() {
    return material;
  }

  private X509Certificate own() {
    return material.chain().getFirst();
  }

  private static void authorities(
      String key, Path file, List<X509Certificate> authorities, Instant now) {
    for (X509Certificate each : authorities) {
      if (!mayIssue(each)) {
        throw refused(
            key,
            file,
            "the certificate of '%s' is not an authority's (basicConstraints must say CA:TRUE): give the ca.pem of your operator"
                .formatted(CommonName.of(each).orElse("")));
      }
    }
    // While an authority is being replaced, the file holds an expired authority and a valid one.
    if (authorities.stream().noneMatch(authority -> isValid(authority, now))) {
      valid(key, file, authorities.getFirst(), now);
    }
  }

  // RFC 5280 section 4.2.1.9; certificates before version 3 have no extensions.
  private static boolean mayIssue(X509Certificate certificate) {
    return certificate.getVersion() < 3 || certificate.getBasicConstraints() >= 0;
  }

  private static boolean isValid(X509Certificate certificate, Instant now) {
    return !now.isBefore(certificate.getNotBefore().toInstant())
        && !now.isAfter(certificate.getNotAfter().toInstant());
  }

  private static void valid(String key, Path file, X509Certificate certificate, Instant now) {
    if (now.isAfter(certificate.getNotAfter().toInstant())) {
      throw refused(
          key,
          file,
          "the certificate of '%s' expired at %s, it is %s now: %s"
              .formatted(
                  CommonName.of(certificate).orElse(""),
                  certificate.getNotAfter().toInstant(),
                  now,
                  ISSUE));
    }
    if (now.isBefore(certificate.getNotBefore().toInstant())) {
      throw refused(
          key,
          file,
          "the certificate of '%s' is not valid before %s, it is %s now: check this machine's clock, or %s"
              .formatted(
                  CommonName.of(certificate).orElse(""),
                  certificate.getNotBefore().toInstant(),
                  now,
                  ISSUE));
    }
  }

  private void signed(Instant now) {
    try {
      PKIXParameters rules =
          new PKIXParameters(
              material.authorities().stream()
                  .map(authority -> new TrustAnchor(authority, null))
                  .collect(Collectors.toSet()));
      rules.setRevocationEnabled(false); // no revocation lists are distributed
      rules.setDate(Date.from(now));
      CertPathValidator.getInstance("PKIX")
          .validate(
              CertificateFactory.getInstance("X.509").generateCertPath(material.chain()), rules);
    } catch (GeneralSecurityException _) {
      throw refused(
          CERTIFICATE_KEY,
          files.certificate(),
          "it is not signed by an authority of %s: give the authority that issued it as tls.trust, or %s"
              .formatted(files.trust(), ISSUE));
    }
  }

  private static List<String> alternativeNames(X509Certificate certificate) {
    List<String> names = new ArrayList<>();
    try {
      Collection<List<?>> found = certificate.getSubjectAlternativeNames();
      for (List<?> name : found == null ? List.<List<?>>of() : found) {
        if (name.get(0).equals(DNS_NAME) || name.get(0).equals(IP_ADDRESS)) {
          names.add(String.valueOf(name.get(1)));
        }
      }
    } catch (CertificateParsingException _) {
      return List.of(); // unreadable names count as none
    }
    return names;
  }

  // RFC 6125: an asterisk stands for the whole leftmost label.
  private static boolean matches(String name, String host) {
    if (isAddress(host)) {
      return isAddress(name) && InetAddress.ofLiteral(name).equals(InetAddress.ofLiteral(host));
    }
    String wanted = host.toLowerCase(Locale.ROOT);
    String given = name.toLowerCase(Locale.ROOT);
    int dot = wanted.indexOf('.');
    return given.equals(wanted)
        || (given.startsWith("*.") && dot > 0 && given.substring(1).equals(wanted.substring(dot)));
  }

  private static boolean isAddress(String text) {
    try {
      InetAddress.ofLiteral(text);
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static ConfigurationException refused(String key, Path file, String why) {
    return new ConfigurationException(key + ": " + file + ": " + why);
  }
}
