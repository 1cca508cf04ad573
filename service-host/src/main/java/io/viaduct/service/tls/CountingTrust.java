package io.viaduct.service.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/// The JDK's decision about a peer's certificate, with every refusal told to someone who counts.
public final class CountingTrust extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager decision;
  private final Runnable onRefusal;

  /// @param onRefusal run once for each certificate of a client that is not trusted
  public CountingTrust(TrustManagerFactory factory, Runnable onRefusal) {
    this.decision = (X509ExtendedTrustManager) factory.getTrustManagers()[0];
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
    counted(() -> decision.checkClientTrusted(chain, type, engine));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    counted(() -> decision.checkClientTrusted(chain, type, socket));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    counted(() -> decision.checkClientTrusted(chain, type));
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    decision.checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    decision.checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    decision.checkServerTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return decision.getAcceptedIssuers();
  }
}
