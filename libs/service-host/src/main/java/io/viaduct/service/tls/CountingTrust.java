package io.viaduct.service.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/// Decides about a peer's certificate as the JDK does, and calls back at every refusal of a client.
public final class CountingTrust extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager delegate;
  private final Runnable onRefusal;

  /// @param onRefusal run once for each untrusted certificate of a client
  public CountingTrust(TrustManagerFactory factory, Runnable onRefusal) {
    this.delegate = (X509ExtendedTrustManager) factory.getTrustManagers()[0];
    this.onRefusal = onRefusal;
  }

  private interface Check {
    void run() throws CertificateException;
  }

  private void counted(Check check) throws CertificateException {
    try {
      check.run();
    } catch (CertificateException e) {
      onRefusal.run();
      throw e;
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    counted(() -> delegate.checkClientTrusted(chain, type, engine));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    counted(() -> delegate.checkClientTrusted(chain, type, socket));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    counted(() -> delegate.checkClientTrusted(chain, type));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    delegate.checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    delegate.checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    delegate.checkServerTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return delegate.getAcceptedIssuers();
  }
}
