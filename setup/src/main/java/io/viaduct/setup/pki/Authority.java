package io.viaduct.setup.pki;

import io.viaduct.setup.installation.HostName;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// The certificate authority of one installation. Its key is an EC key on P-256, which all TLS
/// libraries in use support. Its certificate may not issue another authority (path length 0).
///
/// @param certificate certificate that services and devices trust
/// @param key key that signs certificates; no service needs it
public record Authority(X509Certificate certificate, PrivateKey key) {
  /// Ten years, because every device has a copy of the certificate.
  static final Duration AUTHORITY_LIFETIME = Duration.ofDays(3650);

  /// One year; `viaduct setup renew` issues the next one.
  static final Duration LIFETIME = Duration.ofDays(365);

  // Certificates begin this long before now, because a peer's clock may be late.
  private static final Duration CLOCK_SKEW = Duration.ofHours(1);

  /// RFC 5280 section 4.1.2.2: a serial number is positive and has at most 20 octets.
  private static final int SERIAL_BITS = 159;

  private static final SecureRandom RANDOM = new SecureRandom();

  /// Generates a key pair for a certificate.
  public static KeyPair newKeyPair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must offer P-256", e);
    }
  }

  /// Makes the certificate of a new authority, or the next certificate of an existing one. Both
  /// have the same subject and key, so devices that trust either accept the issued certificates.
  ///
  /// @param domain home domain of the users; part of the authority's name, so that people can
  ///   distinguish authorities
  public static X509Certificate selfSigned(KeyPair pair, String domain, Instant now) {
    X500Principal name = name("Viaduct authority of " + domain);
    var builder = builder(name, now, now.plus(AUTHORITY_LIFETIME), name, pair.getPublic());
    try {
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
      builder.addExtension(
          Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
      builder.addExtension(
          Extension.subjectKeyIdentifier,
          false,
          new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("extensions of our own are refused", e);
    }
    return sign(builder, pair.getPrivate());
  }

  /// Issues a service's certificate, for both ends of mutual TLS. It does not outlive the
  /// authority's certificate.
  ///
  /// @param commonName identity of the service: a SNAPT's id, `ims-bridge` or `danum-billing`
  /// @param hosts names and addresses to which peers connect
  public X509Certificate issue(
      String commonName, List<HostName> hosts, PublicKey subjectKey, Instant now) {
    Instant end = now.plus(LIFETIME);
    Instant authorityEnd = certificate.getNotAfter().toInstant();
    var builder =
        builder(
            certificate.getSubjectX500Principal(),
            now,
            end.isBefore(authorityEnd) ? end : authorityEnd,
            name(commonName),
            subjectKey);
    try {
      var extensions = new JcaX509ExtensionUtils();
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
      builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
      builder.addExtension(
          Extension.extendedKeyUsage,
          false,
          new ExtendedKeyUsage(
              new KeyPurposeId[] {KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth}));
      builder.addExtension(Extension.subjectAlternativeName, false, alternatives(hosts));
      builder.addExtension(
          Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(subjectKey));
      builder.addExtension(
          Extension.authorityKeyIdentifier,
          false,
          extensions.createAuthorityKeyIdentifier(certificate.getPublicKey()));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("extensions of our own are refused", e);
    }
    return sign(builder, key);
  }

  static GeneralNames alternatives(List<HostName> hosts) {
    return new GeneralNames(
        hosts.stream()
            .map(host ->
                new GeneralName(
                    host.isAddress() ? GeneralName.iPAddress : GeneralName.dNSName, host.text()))
            .toArray(GeneralName[]::new));
  }

  static X500Principal name(String commonName) {
    var name = new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.O, "Viaduct");
    try {
      return new X500Principal(name.addRDN(BCStyle.CN, commonName).build().getEncoded());
    } catch (IOException e) {
      throw new IllegalStateException("no encoding of the name " + commonName, e);
    }
  }

  private static JcaX509v3CertificateBuilder builder(
      X500Principal issuer, Instant now, Instant end, X500Principal subject, PublicKey key) {
    return new JcaX509v3CertificateBuilder(
        issuer,
        new BigInteger(SERIAL_BITS, RANDOM).setBit(0), // never zero
        Date.from(now.minus(CLOCK_SKEW)),
        Date.from(end),
        subject,
        key);
  }

  private static X509Certificate sign(JcaX509v3CertificateBuilder builder, PrivateKey key) {
    try {
      var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(key);
      return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
    } catch (OperatorCreationException | GeneralSecurityException e) {
      throw new IllegalStateException("the JDK refuses to sign with the authority's key", e);
    }
  }

  /// Contains only the certificate's subject; the key never appears in text.
  @Override
  public String toString() {
    return "Authority(" + certificate.getSubjectX500Principal() + ")";
  }
}
