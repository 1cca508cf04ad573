package io.viaduct.bridge.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.bridge.configuration.CoreSettings;
import io.viaduct.bridge.configuration.CoreSettings.Peer;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The peers of the trust domain, from the configuration to the flow of a request.
class CorePeersTest {
  private static SipFlow flow(Transport transport, String address, int port) {
    return new SipFlow(transport, new InetSocketAddress(InetAddress.ofLiteral(address), port));
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, 5060, udp",
    "::, 5060, udp",
    "scscf.ims.test, 5060, udp",
    "192.0.2.10, 0, udp",
    "192.0.2.10, 5060, tls",
    "192.0.2.10, 5060, UDP"
  })
  void aPeerIsOneAddressPortAndTransport(String address, int port, String transport) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Peer(address, port, transport));
  }

  @Test
  void theIdentityIsASipAddress() {
    assertThat(new CoreSettings(List.of(), List.of(), "", "sip:viaduct@ims.test").identity())
        .isNotEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CoreSettings(List.of(), List.of(), "", "viaduct"));
  }

  @Test
  void namesOfCertificatesNeedAnAuthority() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CoreSettings(List.of(), List.of("scscf.ims.test"), "", ""));
  }

  @Test
  void aPeerIsKnownByAddressAndTransportAndReachedByItsPort() {
    SipFlow first = new Peer("192.0.2.10", 5060, "udp").flow();
    SipFlow second = new Peer("192.0.2.10", 5070, "udp").flow();
    SipFlow tcp = new Peer("2001:db8::1", 5060, "tcp").flow();
    TrustDomain trust =
        new TrustDomain(
            "ims.test",
            List.of(first, second, tcp),
            Set.of(),
            "sip:snapt@ims.test",
            new SimpleMeterRegistry());

    assertThat(trust.peer(flow(Transport.UDP, "192.0.2.10", 5070))).hasValue(second);
    assertThat(trust.peer(flow(Transport.UDP, "192.0.2.10", 40_000))).hasValue(first);
    assertThat(trust.peer(flow(Transport.TCP, "2001:db8::1", 40_000))).hasValue(tcp);
    assertThat(trust.peer(flow(Transport.TCP, "192.0.2.10", 5060))).isEmpty();
    assertThat(trust.peer(flow(Transport.UDP, "2001:db8::1", 5060))).isEmpty();
    assertThat(trust.peer(flow(Transport.UDP, "192.0.2.11", 5060))).isEmpty();
    assertThat(trust.peer(flow(Transport.TLS, "2001:db8::1", 5060))).isEmpty();
  }
}
