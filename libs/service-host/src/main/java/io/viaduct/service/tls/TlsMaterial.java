package io.viaduct.service.tls;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.configuration.ConfigurationException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/// The identity of one process and the authorities that it trusts, read and checked at the start
/// and at each reload. All contexts made from it use only TLS 1.3 (RFC 8446) and the JDK's
/// provider.
///
/// @param chain this process's certificate first, then its intermediates
/// @param key private key of the first certificate; [#load] checks that they match
/// @param authorities authorities that may have issued the peer's certificate
public record TlsMaterial(
    List<X509Certificate> chain, PrivateKey key, List<X509Certificate> authorities) {
  private static final String PROTOCOL = "TLSv1.3";

  /// @throws ConfigurationException naming the file and what it must hold
  public static TlsMaterial load(TlsSettings settings) {
    TlsMaterial own = server(settings.certificate(), settings.privateKey());
    return new TlsMaterial(own.chain, own.key, PemFile.certificates(settings.trust()));
  }

  /// Reads the identity of a server whose clients show no certificate.
  ///
  /// @throws ConfigurationException naming the file and what it must hold
  public static TlsMaterial server(Path certificate, Path privateKey) {
    List<X509Certificate> chain = PemFile.certificates(certificate);
    PrivateKey key = PemFile.privateKey(privateKey);
    if (!belongs(key, chain.getFirst().getPublicKey())) {
      throw new ConfigurationException(
          "%s: is not the key of the first certificate of %s: give the pair that was issued together"
              .formatted(privateKey, certificate));
    }
    return new TlsMaterial(chain, key, List.of());
  }

  /// Returns a context for accepting connections.
  ///
  /// @param clients true if the peer must present a certificate of one of the authorities
  public SslContext server(ClientAuth clients) {
    return build(serverBuilder(clients));
  }

  /// Returns the builder of [#server], for callers that add options such as ALPN.
  public SslContextBuilder serverBuilder(ClientAuth clients) {
    return jdk(
        SslContextBuilder.forServer(key, chain.toArray(X509Certificate[]::new))
            .trustManager(authorities.toArray(X509Certificate[]::new))
            .clientAuth(clients));
  }

  /// Returns a context for connecting, which presents this process's certificate. The peer's
  /// certificate must name the host of the connection.
  public SslContext client() {
    return build(clientBuilder());
  }

  /// Returns the builder of [#client], for callers that add options such as ALPN.
  public SslContextBuilder clientBuilder() {
    return jdk(
        SslContextBuilder.forClient()
            .keyManager(key, chain.toArray(X509Certificate[]::new))
            .trustManager(authorities.toArray(X509Certificate[]::new))
            .endpointIdentificationAlgorithm("HTTPS"));
  }

  /// Returns a context for connecting without a certificate of this process. The peer identifies
  /// the process by other means, such as a token.
  ///
  /// @param authorities authorities that may have issued the peer's certificate
  public static SslContext anonymousClient(List<X509Certificate> authorities) {
    return build(anonymousClientBuilder(authorities));
  }

  /// Returns the builder of [#anonymousClient], for callers that add options such as ALPN.
  public static SslContextBuilder anonymousClientBuilder(List<X509Certificate> authorities) {
    return jdk(
        SslContextBuilder.forClient()
            .trustManager(authorities.toArray(X509Certificate[]::new))
            .endpointIdentificationAlgorithm("HTTPS"));
  }

  /// Produces the first message of a handshake and discards it. This loads classes and computes
  /// keys of two curves in advance, so that the first real handshake is faster.
  public static void warmUp() {
    try {
      SSLContext context = SSLContext.getInstance(PROTOCOL);
      context.init(null, new TrustManager[0], null);
      SSLEngine engine = context.createSSLEngine("rehearsal.invalid", 443);
      engine.setUseClientMode(true);
      int most = engine.getSession().getPacketBufferSize();
      SSLEngineResult hello = engine.wrap(ByteBuffer.allocate(0), ByteBuffer.allocate(most));
      if (hello.bytesProduced() == 0) {
        throw new IllegalStateException("the TLS engine produced no first message: " + hello);
      }
    } catch (GeneralSecurityException | SSLException e) {
      throw new IllegalStateException("the JDK cannot begin a TLS handshake", e);
    }
  }

  /// Returns the key and its certificates for libraries that build their own context.
  public KeyManagerFactory keyManagers() {
    try {
      KeyStore store = emptyStore();
      store.setKeyEntry("own", key, new char[0], chain.toArray(X509Certificate[]::new));
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, new char[0]);
      return factory;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("checked key and certificate refused by the JDK", e);
    }
  }

  /// Returns the authorities for libraries that build their own context.
  public TrustManagerFactory trustManagers() {
    try {
      KeyStore store = emptyStore();
      for (X509Certificate authority : authorities) {
        store.setCertificateEntry("authority " + store.size(), authority);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("checked authorities refused by the JDK", e);
    }
  }

  /// Contains only the certificate's subject; the key never appears in text.
  @Override
  public String toString() {
    return "TlsMaterial(" + chain.getFirst().getSubjectX500Principal() + ")";
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static SslContextBuilder jdk(SslContextBuilder builder) {
    return builder.sslProvider(SslProvider.JDK).protocols(PROTOCOL);
  }

  private static SslContext build(SslContextBuilder builder) {
    try {
      return builder.build();
    } catch (SSLException e) {
      throw new ConfigurationException("tls: the files were read but cannot be used: " + e);
    }
  }

  private static boolean belongs(PrivateKey key, PublicKey certified) {
    String algorithm =
        switch (certified.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> "Ed25519";
        };
    byte[] sample = {'v', 'i', 'a', 'd', 'u', 'c', 't'};
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(sample);
      byte[] signed = signature.sign();
      signature.initVerify(certified);
      signature.update(sample);
      return signature.verify(signed);
    } catch (GeneralSecurityException _) {
      return false; // a key of another algorithm or curve does not belong to the certificate
    }
  }
}
