package io.viaduct.setup.pki;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.setup.files.SetupDirectory;
import io.viaduct.setup.installation.HostName;
import java.io.IOException;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The certificates of an installation: makes what is missing, and renews what ends or names other
/// hosts than it should.
public final class Certificates {
  /// The authority's certificate: what services and devices trust.
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
  /// @param hosts the names and addresses that peers dial
  public record Wanted(String directory, String name, List<HostName> hosts) {
    public String certificate() {
      return directory + "/" + name + ".pem";
    }

    public String key() {
      return directory + "/" + name + ".key";
    }
  }

  /// @param now begin of the certificates that are made
  public Certificates(SetupDirectory directory, Instant now) {
    this.directory = directory;
    this.now = now;
  }

  /// Makes the authority, unless it is there.
  public void makeAuthority(String domain) throws IOException {
    if (isMissing(AUTHORITY_KEY, AUTHORITY)) {
      KeyPair pair = Authority.newKeyPair();
      directory.make(AUTHORITY_KEY, () -> Pem.text(pair.getPrivate()));
      directory.make(AUTHORITY, () -> Pem.text(Authority.selfSigned(pair, domain, now)));
    }
  }

  /// Makes a service's key and certificate, unless they are there.
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

  /// Tells whether a pair must be made; keeps one that is there.
  ///
  /// @throws ConfigurationException if one half is missing: the other one may be in use
  private boolean isMissing(String key, String certificate) throws IOException {
    if (directory.has(key) != directory.has(certificate)) {
      String there = directory.has(key) ? key : certificate;
      throw new ConfigurationException(
          "%s is there, %s is missing: restore it from your backup, or move the first away for a new pair"
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

  /// Issues a certificate anew, for the same key, if it ends before a moment or does not name the
  /// wanted hosts.
  ///
  /// @return whether it was issued
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

  /// Signs the authority's own certificate anew if it ends before a moment.
  ///
  /// @return whether it was signed
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

  /// Returns those of the wanted hosts that a certificate does not name.
  public List<HostName> unnamed(Wanted wanted) throws IOException {
    Set<String> named = names(read(wanted.certificate()));
    var unnamed = new ArrayList<HostName>();
    for (HostName host : wanted.hosts()) {
      if (!named.contains(normal(host))) {
        unnamed.add(host);
      }
    }
    return unnamed;
  }

  private Authority authority() throws IOException {
    if (!directory.has(AUTHORITY_KEY)) {
      throw new ConfigurationException(
          directory.path(AUTHORITY_KEY)
              + " is missing: bring the authority's key back to issue certificates");
    }
    X509Certificate certificate = read(AUTHORITY);
    if (ends(certificate, now)) {
      throw new ConfigurationException(
          "%s has ended on %s: 'viaduct setup renew' signs it anew"
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

  /// Returns the alternative names of a certificate; addresses in the form of the JDK.
  static Set<String> names(X509Certificate certificate) {
    var names = new HashSet<String>();
    try {
      Collection<List<?>> all = certificate.getSubjectAlternativeNames();
      if (all != null) {
        for (List<?> name : all) {
          if (name.getFirst().equals(DNS_NAME) || name.getFirst().equals(IP_ADDRESS)) {
            names.add(normal(new HostName(name.get(1).toString())));
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
    hosts.forEach(host -> texts.add(normal(host)));
    return texts;
  }

  /// An IPv6 address has many spellings.
  private static String normal(HostName host) {
    return host.isAddress() ? InetAddress.ofLiteral(host.text()).getHostAddress() : host.text();
  }
}
