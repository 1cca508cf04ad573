package io.viaduct.service.tls;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.KeyManagementException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/// A TLS client that reads the server's certificate and keeps its connection open.
public final class TlsProbe implements AutoCloseable {
  private static final int TIMEOUT_MS = 10_000;
  private static final int SILENCE_MS = 200;

  private final SSLSocket socket;

  private TlsProbe(SSLSocket socket) {
    this.socket = socket;
  }

  /// Connects to this host and performs the handshake.
  ///
  /// @param protocols protocols offered by ALPN
  /// @param authorities authorities that may have issued the server's certificate
  public static TlsProbe connect(
      int port, List<String> protocols, List<X509Certificate> authorities)
      throws IOException, GeneralSecurityException {
    SSLSocket socket = (SSLSocket) context(authorities).getSocketFactory().createSocket();
    socket.connect(new java.net.InetSocketAddress("127.0.0.1", port), TIMEOUT_MS);
    socket.setSoTimeout(TIMEOUT_MS);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(protocols.toArray(String[]::new));
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return new TlsProbe(socket);
  }

  private static SSLContext context(List<X509Certificate> authorities)
      throws GeneralSecurityException, KeyManagementException {
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(
        null,
        new TlsMaterial(List.of(), null, authorities).trustManagers().getTrustManagers(),
        null);
    return context;
  }

  /// Returns the server's certificate.
  public X509Certificate certificate() throws IOException {
    return (X509Certificate) socket.getSession().getPeerCertificates()[0];
  }

  /// Returns whether the connection is still open.
  public boolean isOpen() throws IOException {
    socket.setSoTimeout(SILENCE_MS);
    try {
      int read;
      do {
        read = socket.getInputStream().read(new byte[4096]);
      } while (read > 0);
      return false;
    } catch (SocketTimeoutException _) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
