package io.viaduct.service.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.Socket;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.interfaces.EdECPublicKey;
import java.util.Base64;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedTrustManager;

/// TLS 1.3 between two ends that know each other's Ed25519 key by configuration. The server shows
/// its key in a certificate ([SelfSigned]); the client accepts this one key and no other. TLS
/// itself proves that the server holds the private half.
public final class PinnedKey extends X509ExtendedTrustManager {
  private static final String PROTOCOL = "TLSv1.3";

  private final byte[] expected;

  private PinnedKey(byte[] expected) {
    this.expected = expected.clone();
  }

  /// Returns a context for connecting to the server with this key.
  ///
  /// @param raw the server's public key, 32 bytes
  public static SslContext client(byte[] raw) {
    return build(SslContextBuilder.forClient().trustManager(new PinnedKey(raw)));
  }

  /// Returns a context for accepting connections with this key. The client proves its own key above
  /// TLS.
  ///
  /// @param alpn application protocol that the client must offer
  public static SslContext server(KeyPair own, String alpn) {
    return build(
        SslContextBuilder.forServer(own.getPrivate(), SelfSigned.of(own))
            .clientAuth(ClientAuth.NONE)
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.FATAL_ALERT,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.FATAL_ALERT,
                    alpn)));
  }

  private static SslContext build(SslContextBuilder builder) {
    try {
      return builder
          .sslProvider(SslProvider.JDK)
          .protocols(PROTOCOL)
          .endpointIdentificationAlgorithm(null) // the key is the identity
          .build();
    } catch (SSLException e) {
      throw new IllegalStateException("the JDK must offer TLS 1.3 with Ed25519", e);
    }
  }

  /// Returns a raw public key as configurations spell it.
  public static String text(byte[] raw) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(raw);
  }

  private void check(X509Certificate[] chain) throws CertificateException {
    if (!(chain[0].getPublicKey() instanceof EdECPublicKey key)) {
      throw new CertificateException(
          "it shows no Ed25519 key, and must show "
              + text(expected)
              + ": is it the right address?");
    }
    byte[] shown = Ed25519.raw(key);
    if (!MessageDigest.isEqual(shown, expected)) {
      throw new CertificateException(
          "it shows the key %s, and must show %s: compare the keys of both configurations"
              .formatted(text(shown), text(expected)));
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
