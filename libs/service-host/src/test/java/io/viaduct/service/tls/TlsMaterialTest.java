package io.viaduct.service.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.viaduct.service.configuration.ConfigurationException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TlsMaterialTest {
  @TempDir Path folder;
  private X509Bundle authority;

  @BeforeEach
  void authority() throws Exception {
    authority =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=operator CA")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    Files.writeString(folder.resolve("ca.pem"), authority.getCertificatePEM());
  }

  private TlsSettings issue(String name, X509Bundle by) throws Exception {
    X509Bundle issued =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=" + name)
            .addSanDnsName("localhost")
            .buildIssuedBy(by);
    Path certificate = folder.resolve(name + ".pem");
    Path key = folder.resolve(name + ".key");
    Files.writeString(certificate, issued.getCertificatePEM());
    TestAuthority.secret(key, issued.getPrivateKeyPEM());
    return new TlsSettings(certificate, key, folder.resolve("ca.pem"));
  }

  /// Performs a handshake and returns the protocol and the name that the server saw.
  private static String shakeHands(SSLContext server, SSLContext client, boolean name)
      throws Exception {
    try (SSLServerSocket listening =
        (SSLServerSocket)
            server
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      listening.setNeedClientAuth(true);
      Callable<String> accepting =
          () -> {
            try (SSLSocket accepted = (SSLSocket) listening.accept()) {
              accepted.startHandshake();
              accepted.getOutputStream().write(1);
              return accepted.getSession().getProtocol()
                  + " "
                  + accepted.getSession().getPeerPrincipal().getName();
            }
          };
      FutureTask<String> seen = new FutureTask<>(accepting);
      Thread.ofPlatform().daemon().start(seen);
      try (SSLSocket socket =
          (SSLSocket)
              client.getSocketFactory().createSocket("localhost", listening.getLocalPort())) {
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(name ? "HTTPS" : null);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        socket.getInputStream().read();
      }
      return seen.get(10, TimeUnit.SECONDS);
    }
  }

  private static SSLContext jdk(TlsMaterial material) throws Exception {
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(
        material.keyManagers().getKeyManagers(), material.trustManagers().getTrustManagers(), null);
    return context;
  }

  @Test
  void bothEndsShowCertificatesOfTheOperatorsAuthority() throws Exception {
    TlsMaterial bridge = TlsMaterial.load(issue("ims-bridge", authority));
    TlsMaterial snapt = TlsMaterial.load(issue("snapt-1", authority));
    assertThat(shakeHands(jdk(bridge), jdk(snapt), true)).isEqualTo("TLSv1.3 CN=snapt-1");
  }

  @Test
  void aCertificateOfAnotherAuthorityIsRefused() throws Exception {
    X509Bundle other =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=somebody")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    TlsMaterial bridge = TlsMaterial.load(issue("ims-bridge", authority));
    TlsMaterial forged = TlsMaterial.load(issue("snapt-1", other));
    assertThatThrownBy(() -> shakeHands(jdk(bridge), jdk(forged), true))
        .isInstanceOfAny(SSLException.class, ExecutionException.class, java.io.IOException.class);
  }

  @Test
  void contextsSpeakTls13Only() throws Exception {
    TlsMaterial bridge = TlsMaterial.load(issue("ims-bridge", authority));
    for (SslContext context :
        new SslContext[] {
          bridge.server(ClientAuth.REQUIRE),
          bridge.client(),
          TlsMaterial.anonymousClient(
              CertificateCheck.authorities("trust", folder.resolve("ca.pem"), Instant.now()))
        }) {
      var engine = context.newEngine(UnpooledByteBufAllocator.DEFAULT);
      assertThat(engine.getEnabledProtocols()).containsExactly("TLSv1.3");
      assertThat(engine.getSSLParameters().getEndpointIdentificationAlgorithm())
          .isEqualTo(context.isClient() ? "HTTPS" : null);
      assertThat(engine.getNeedClientAuth()).isEqualTo(!context.isClient());
    }
  }

  @Test
  void theKeyOfAnotherCertificateIsRefused() throws Exception {
    TlsSettings one = issue("one", authority);
    TlsSettings two = issue("two", authority);
    assertThatThrownBy(() ->
            TlsMaterial.load(new TlsSettings(one.certificate(), two.privateKey(), one.trust())))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("two.key")
        .hasMessageContaining("not the key of the first certificate");
  }

  @Test
  void wrongFilesAreNamedWithWhatTheyMustHold() throws Exception {
    TlsSettings good = issue("one", authority);
    Path none = folder.resolve("none.pem");
    assertThatThrownBy(
            () -> TlsMaterial.load(new TlsSettings(none, good.privateKey(), good.trust())))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("none.pem: does not exist: correct the path or create the file");
    assertThatThrownBy(() ->
            TlsMaterial.load(new TlsSettings(good.privateKey(), good.privateKey(), good.trust())))
        .hasMessageContaining("must hold a PEM block 'CERTIFICATE', holds '[PRIVATE KEY]'");
    Path text = TestAuthority.secret(folder.resolve("text"), "hello");
    assertThatThrownBy(() -> CertificateCheck.authorities("trust", text, Instant.now()))
        .hasMessageContaining("holds no PEM block");
    Path broken =
        TestAuthority.secret(
            folder.resolve("broken"),
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    assertThatThrownBy(() -> CertificateCheck.authorities("trust", broken, Instant.now()))
        .hasMessageContaining("certificate 1 cannot be read");
    Path noKey =
        TestAuthority.secret(
            folder.resolve("nokey"),
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    assertThatThrownBy(
            () -> TlsMaterial.load(new TlsSettings(good.certificate(), noKey, good.trust())))
        .hasMessageContaining("must be PKCS#8");
  }

  @Test
  void aHandshakeThatGoesNowhereComesToItsFirstMessage() {
    assertThatCode(TlsMaterial::warmUp).doesNotThrowAnyException();
  }

  @Test
  void theKeyIsNotInTheText() throws Exception {
    assertThat(TlsMaterial.load(issue("one", authority))).hasToString("TlsMaterial(CN=one)");
  }
}
