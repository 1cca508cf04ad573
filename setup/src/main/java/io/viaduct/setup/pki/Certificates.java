package io.viaduct.setup.pki;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.setup.files.SetupDirectory;
import io.viaduct.setup.installation.HostName;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Makes the missing certificates of an installation, and renews those that end soon or name the
/// wrong hosts.
public final class Certificates {
  /// The authority's certificate, which services and devices trust.
  public static final String AUTHORITY = "authority/ca.pem";

  /// The authority's key. No service needs it.
  public static final String AUTHORITY_KEY = "authority/ca.key";

  private static final int DNS_NAME = 2; // GeneralName of RFC 5280 section 4.2.1.6
  private static final int IP_ADDRESS = 7;

  private final SetupDirectory directory;
  private final Instant now;

  /// A service's certificate and key, at `directory/name.pem` and `directory/name.key`.
  ///
  /// @param name common name, and name of the files
  /// @param hosts names and addresses to which peers connect
  public record Wanted(String directory, String name, List<HostName> hosts) {
    public String certificate() {
      return directory + "/" + name + ".pem";
    }

    public String key() {
      return directory + "/" + name + ".key";
    }

    public String request() {
      return directory + "/" + name + ".csr";
    }
  }

  /// @param now begin of the validity of new certificates
  public Certificates(SetupDirectory directory, Instant now) {
    this.directory = directory;
    this.now = now;
  }

  /// Makes the authority, unless it exists.
  public void makeAuthority(String domain) throws IOException {
    if (isMissing(AUTHORITY_KEY, AUTHORITY)) {
      KeyPair pair = Authority.newKeyPair();
      directory.make(AUTHORITY_KEY, () -> Pem.text(pair.getPrivate()));
      directory.make(AUTHORITY, () -> Pem.text(Authority.selfSigned(pair, domain, now)));
    }
  }

  /// Makes a service's key and certificate, unless they exist.
  public void make(Wanted wanted) throws IOException {
    if (isMissing(wanted.key(), wanted.certificate())) {
      Authority authority = authority();
      KeyPair pair = Authority.newKeyPair();
      X509Certificate issued =
          authority.issue(wanted.name(), wanted.hosts(), pair.getPublic(), now);
      directory.make(wanted.key(), () -> Pem.text(pair.getPrivate()));
      directory.make(wanted.certificate(), () -> Pem.text(issued));
    }
  }

  /// Makes a service's key, and a request for its certificate, unless they exist.
  public void makeRequest(Wanted wanted) throws IOException {
    if (isMissing(wanted.key(), wanted.request())) {
      KeyPair pair = Authority.newKeyPair();
      directory.make(wanted.key(), () -> Pem.text(pair.getPrivate()));
      directory.make(
          wanted.request(), () -> CertificateRequest.text(wanted.name(), wanted.hosts(), pair));
    }
  }

  /// Issues the certificate for a key that was made elsewhere, with the authority's certificate
  /// beside it. Files of an earlier certificate are replaced.
  public void sign(Wanted wanted, PublicKey key) throws IOException {
    X509Certificate issued = authority().issue(wanted.name(), wanted.hosts(), key, now);
    put(wanted.certificate(), Pem.text(issued));
    put(wanted.directory() + "/ca.pem", directory.read(AUTHORITY));
  }

  private void put(String file, String text) throws IOException {
    if (directory.has(file)) {
      directory.replace(file, text);
    } else {
      directory.make(file, () -> text);
    }
  }

  /// Returns whether a pair must be made; records an existing pair as kept.
  ///
  /// @throws ConfigurationException if only one of the two files exists, because it may be in use
  private boolean isMissing(String key, String certificate) throws IOException {
    if (directory.has(key) != directory.has(certificate)) {
      String there = directory.has(key) ? key : certificate;
      throw new ConfigurationException(
          "%s is there, but %s is missing: restore it from your backup, or move the first away to get a new pair"
              .formatted(
                  directory.path(there), directory.path(there.equals(key) ? certificate : key)));
    }
    if (directory.has(key)) {
      directory.keep(key);
      directory.keep(certificate);
      return false;
    }
    return true;
  }

  /// Issues a new certificate for the same key, if the present one ends before a given time or does
  /// not name exactly the wanted hosts.
  ///
  /// @return true if a certificate was issued
  public boolean renew(Wanted wanted, Instant before) throws IOException {
    X509Certificate present = read(wanted.certificate());
    if (!ends(present, before) && names(present).equals(texts(wanted.hosts()))) {
      return false;
    }
    X509Certificate next =
        authority().issue(wanted.name(), wanted.hosts(), present.getPublicKey(), now);
    directory.replace(wanted.certificate(), Pem.text(next));
    return true;
  }

  /// Makes a new certificate of the authority if the present one ends before a given time.
  ///
  /// @return true if a certificate was made
  public boolean renewAuthority(String domain, Instant before) throws IOException {
    X509Certificate present = read(AUTHORITY);
    if (!ends(present, before)) {
      return false;
    }
    var pair = new KeyPair(present.getPublicKey(), Pem.privateKey(directory.path(AUTHORITY_KEY)));
    directory.replace(AUTHORITY, Pem.text(Authority.selfSigned(pair, domain, now)));
    return true;
  }

  /// Returns the end of a certificate's validity.
  public Instant end(String certificate) throws IOException {
    return read(certificate).getNotAfter().toInstant();
  }

  /// Returns the wanted hosts that the certificate does not name.
  public List<HostName> unnamed(Wanted wanted) throws IOException {
    Set<String> named = names(read(wanted.certificate()));
    var unnamed = new ArrayList<HostName>();
    for (HostName host : wanted.hosts()) {
      if (!named.contains(host.normal())) {
        unnamed.add(host);
      }
    }
    return unnamed;
  }

  private Authority authority() throws IOException {
    if (!directory.has(AUTHORITY_KEY)) {
      throw new ConfigurationException(
          directory.path(AUTHORITY_KEY)
              + " is missing: restore the authority's key to issue certificates");
    }
    X509Certificate certificate = read(AUTHORITY);
    if (ends(certificate, now)) {
      throw new ConfigurationException(
          "%s ended on %s: renew it with 'viaduct setup renew'"
              .formatted(directory.path(AUTHORITY), certificate.getNotAfter().toInstant()));
    }
    return new Authority(certificate, Pem.privateKey(directory.path(AUTHORITY_KEY)));
  }

  private X509Certificate read(String certificate) throws IOException {
    return Pem.certificate(directory.path(certificate));
  }

  private static boolean ends(X509Certificate certificate, Instant before) {
    return certificate.getNotAfter().toInstant().isBefore(before);
  }

  /// Returns the alternative names of a certificate, with addresses in the JDK's form.
  static Set<String> names(X509Certificate certificate) {
    var names = new HashSet<String>();
    try {
      Collection<List<?>> all = certificate.getSubjectAlternativeNames();
      if (all != null) {
        for (List<?> name : all) {
          if (name.getFirst().equals(DNS_NAME) || name.getFirst().equals(IP_ADDRESS)) {
            names.add(new HostName(name.get(1).toString()).normal());
          }
        }
      }
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new ConfigurationException(
          "the certificate of "
              + certificate.getSubjectX500Principal()
              + " has names that cannot be read: "
              + e.getMessage());
    }
    return names;
  }

  private static Set<String> texts(List<HostName> hosts) {
    var texts = new HashSet<String>();
    hosts.forEach(host -> texts.add(host.normal()));
    return texts;
  }
}
