package io.viaduct.bridge.sip;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.sip.Transport;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A server of an IMS core that is known by the name in its certificate.
@Timeout(120)
class CoreOverTlsTest {
  @TempDir Path directory;
  private TestAuthority authority;
  private TlsSettings bridge;
  private BridgeRig rig;

  @BeforeEach
  void start() throws Exception {
    authority = new TestAuthority(directory.resolve("sip"));
    bridge = authority.issue("ims.test");
    rig =
        new BridgeRig(
            directory,
            BridgeRig.NO_BILLING,
            text ->
                text.replace(
                        "contacts: 2",
                        "contacts: 2, tls: {certificate: %s, private-key: %s, port: 0}"
                            .formatted(bridge.certificate(), bridge.privateKey()))
                    + "core: {tls-names: [scscf.ims.test], trust: %s}\n".formatted(bridge.trust()));
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  /// Sends a third-party REGISTER with a certificate, and returns the first line of the answer.
  private String register(KeyManager[] shown, String protocol) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(shown, TlsMaterial.load(bridge).trustManagers().getTrustManagers(), null);
    try (SSLSocket socket =
        (SSLSocket)
            context
                .getSocketFactory()
                .createSocket(
                    InetAddress.getLoopbackAddress(),
                    rig.bridge.parts().getBean(SipEntrance.class).port(Transport.TLS))) {
      socket.setEnabledProtocols(new String[] {protocol});
      socket.setSoTimeout(20_000);
      socket
          .getOutputStream()
          .write(
              """
              REGISTER sip:ims.test SIP/2.0
              Via: SIP/2.0/TLS scscf.invalid;branch=z9hG4bK1;rport
              From: <sip:scscf.ims.test>;tag=1
              To: <sip:alice@ims.test>
              Call-ID: 1
              CSeq: 10 REGISTER
              Max-Forwards: 10
              Contact: <sip:scscf.ims.test>
              Expires: 720
              Content-Length: 0

              """
                  .replace("\n", "\r\n")
                  .getBytes(StandardCharsets.UTF_8));
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
          .readLine();
    }
  }

  private KeyManager[] issued(String name) throws Exception {
    return TlsMaterial.load(authority.issue(name)).keyManagers().getKeyManagers();
  }

  private int registered() {
    return rig.bridge.locations().bindings("alice", rig.clock.instant()).size();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void aServerWithAConfiguredNameIsBelieved(String protocol) throws Exception {
    assertThat(register(issued("scscf.ims.test"), protocol)).isEqualTo("SIP/2.0 200 OK");
    assertThat(registered()).isEqualTo(1);
  }

  @Test
  void anotherNameAndNoCertificateAreThoseOfUserAgents() throws Exception {
    assertThat(register(issued("other.ims.test"), "TLSv1.3")).startsWith("SIP/2.0 401 ");
    assertThat(register(null, "TLSv1.3")).startsWith("SIP/2.0 401 ");
    assertThat(registered()).isZero();
  }
}
