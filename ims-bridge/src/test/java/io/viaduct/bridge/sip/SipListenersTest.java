package io.viaduct.bridge.sip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.configuration.SipSettings;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.sip.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The bridge's TLS listener and its certificate, with the JDK's TLS client.
@Timeout(120)
class SipListenersTest {
  @TempDir Path directory;
  private TestAuthority authority;
  private TlsSettings files;
  private BridgeRig rig;

  @BeforeEach
  void start() throws Exception {
    authority = new TestAuthority(directory.resolve("sip"));
    files = authority.issue("ims.test");
    rig =
        new BridgeRig(
            directory,
            1,
            text ->
                text.replace(
                    "contacts: 2",
                    "contacts: 2, tls: {certificate: %s, private-key: %s, port: 0}, web-socket: {enabled: true, port: 0, secure-port: 0}"
                        .formatted(files.certificate(), files.privateKey())));
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  private SSLSocket connect(String protocol, Transport transport) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    TlsMaterial trusted = TlsMaterial.load(files);
    context.init(null, trusted.trustManagers().getTrustManagers(), null);
    SSLSocket socket =
        (SSLSocket)
            context
                .getSocketFactory()
                .createSocket(
                    InetAddress.getLoopbackAddress(),
                    rig.bridge.parts().getBean(SipEntrance.class).port(transport));
    socket.setEnabledProtocols(new String[] {protocol});
    return socket;
  }

  private static X509Certificate shown(SSLSocket socket) throws Exception {
    return (X509Certificate) socket.getSession().getPeerCertificates()[0];
  }

  private static String options(SSLSocket socket) throws IOException {
    String request =
        """
        OPTIONS sip:ims.test SIP/2.0
        Via: SIP/2.0/TLS phone.invalid;branch=z9hG4bK1;rport
        From: <sip:alice@ims.test>;tag=1
        To: <sip:ims.test>
        Call-ID: 1
        CSeq: 1 OPTIONS
        Max-Forwards: 70
        Content-Length: 0

        """
            .replace("\n", "\r\n");
    socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    return new String(socket.getInputStream().readNBytes(14), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void aPhoneIsServedOverTls(String protocol) throws Exception {
    try (SSLSocket socket = connect(protocol, Transport.TLS)) {
      assertThat(options(socket)).isEqualTo("SIP/2.0 200 OK");
      assertThat(shown(socket)).isEqualTo(TlsMaterial.load(files).chain().getFirst());
    }
  }

  @Test
  void aRenewedCertificateIsShownToNewConnectionsAndOldOnesStay() throws Exception {
    try (SSLSocket before = connect("TLSv1.3", Transport.TLS)) {
      assertThat(options(before)).isEqualTo("SIP/2.0 200 OK");
      X509Certificate old = shown(before);
      var _ = authority.issue("ims.test");
      rig.bridge.parts().getBean(SipListeners.class).prepare(rig.configuration.sip().tls()).run();
      try (SSLSocket after = connect("TLSv1.3", Transport.WSS)) {
        after.startHandshake();
        assertThat(shown(after)).isNotEqualTo(old);
      }
      assertThat(before.isClosed()).isFalse();
    }
  }

  @Test
  void anotherKeyIsRefusedByName() throws Exception {
    TlsSettings other = authority.issue("other.test");
    SipSettings.Tls mixed =
        new SipSettings.Tls(files.certificate().toString(), other.privateKey().toString(), 5061);
    assertThatThrownBy(() -> SipListeners.check(mixed, rig.clock.instant()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("is not the key of the first certificate");
  }
}
