package io.viaduct.setup.pki;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.setup.installation.HostName;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.PKCSException;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequest;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

/// A request for a certificate (PKCS#10, RFC 2986), signed with the key that is to be certified:
/// who asks has the key. It holds no secret.
///
/// @param name common name of the subject
/// @param hosts names and addresses to which peers connect
/// @param key public key, EC on P-256 as all keys of an installation
public record CertificateRequest(String name, List<HostName> hosts, PublicKey key) {
  private static final int BYTES_MAX = 16 << 10;
  private static final int CURVE_BITS = 256;

  /// Makes a request, as PEM text.
  public static String text(String name, List<HostName> hosts, KeyPair pair) {
    try {
      var extensions = new ExtensionsGenerator();
      extensions.addExtension(
          Extension.subjectAlternativeName, false, Authority.alternatives(hosts));
      PKCS10CertificationRequest request =
          new JcaPKCS10CertificationRequestBuilder(Authority.name(name), pair.getPublic())
              .addAttribute(PKCSObjectIdentifiers.pkcs_9_at_extensionRequest, extensions.generate())
              .build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate()));
      return Pem.text("CERTIFICATE REQUEST", request.getEncoded());
    } catch (IOException | OperatorCreationException e) {
      throw new IllegalStateException("the JDK refuses to sign with a key of its own", e);
    }
  }

  /// Reads a request of a stranger, and checks its signature, its name, its hosts and its key.
  ///
  /// @throws ConfigurationException naming the file and the rule that is broken
  public static CertificateRequest read(Path file) throws IOException {
    if (Files.size(file) > BYTES_MAX) {
      throw refused(file, "must have at most " + BYTES_MAX + " bytes");
    }
    try (var pem =
        new PEMParser(new StringReader(Files.readString(file, StandardCharsets.ISO_8859_1)))) {
      if (pem.readObject() instanceof PKCS10CertificationRequest request) {
        return checked(file, new JcaPKCS10CertificationRequest(request));
      }
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      if (e instanceof ConfigurationException known) {
        throw known;
      }
      throw refused(file, "cannot be read as a certificate request: " + e.getMessage());
    }
    throw refused(file, "must hold a certificate request as PEM (PKCS#10)");
  }

  private static CertificateRequest checked(Path file, JcaPKCS10CertificationRequest request)
      throws GeneralSecurityException {
    PublicKey key = request.getPublicKey();
    if (!(key instanceof ECPublicKey curve)
        || curve.getParams().getOrder().bitLength() != CURVE_BITS) {
      throw refused(file, "must have an EC key on the curve P-256");
    }
    try {
      if (!request.isSignatureValid(new JcaContentVerifierProviderBuilder().build(key))) {
        throw refused(file, "is not signed with its own key");
      }
    } catch (OperatorCreationException | PKCSException e) {
      throw refused(file, "has a signature that cannot be checked: " + e.getMessage());
    }
    RDN[] names = request.getSubject().getRDNs(BCStyle.CN);
    if (names.length != 1) {
      throw refused(file, "must have one common name");
    }
    String name = IETFUtils.valueToString(names[0].getFirst().getValue());
    return new CertificateRequest(name, hosts(file, request.getRequestedExtensions()), key);
  }

  private static List<HostName> hosts(Path file, Extensions extensions) {
    GeneralNames named =
        extensions == null
            ? null
            : GeneralNames.fromExtensions(extensions, Extension.subjectAlternativeName);
    if (named == null || named.getNames().length == 0) {
      throw refused(file, "must name the hosts (subjectAltName)");
    }
    var hosts = new ArrayList<HostName>();
    for (GeneralName each : named.getNames()) {
      hosts.add(host(file, each));
    }
    return List.copyOf(hosts);
  }

  private static HostName host(Path file, GeneralName name) {
    try {
      return switch (name.getTagNo()) {
        case GeneralName.dNSName -> new HostName(IETFUtils.valueToString(name.getName()));
        case GeneralName.iPAddress ->
            new HostName(
                InetAddress.getByAddress(ASN1OctetString.getInstance(name.getName()).getOctets())
                    .getHostAddress());
        default -> throw refused(file, "may name only hosts and addresses in subjectAltName");
      };
    } catch (IllegalArgumentException | IOException e) {
      throw refused(file, "names a host that is none: " + e.getMessage());
    }
  }

  private static ConfigurationException refused(Path file, String rule) {
    return new ConfigurationException(file + ": the certificate request " + rule);
  }
}
