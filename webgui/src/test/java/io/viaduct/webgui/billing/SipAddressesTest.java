package io.viaduct.webgui.billing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.viaduct.webgui.configuration.WebguiConfiguration.Telephones;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SipAddressesTest {
  private static final SipAddresses ALICE = new SipAddresses("ims.test", "alice", List.of("42"));

  @ParameterizedTest
  @CsvSource({
    "'', udp, sip:alice@ims.test;transport=udp, ims.test",
    "sip.example.org, tcp, sip:alice@ims.test;maddr=sip.example.org;transport=tcp, sip.example.org",
    "192.0.2.1:5071, tls, sip:alice@ims.test:5071;maddr=192.0.2.1;transport=tls, 192.0.2.1:5071",
    "[2001:db8::1], udp, sip:alice@ims.test;maddr=[2001:db8::1];transport=udp, [2001:db8::1]",
    "[2001:db8::1]:5071, tls, sip:alice@ims.test:5071;maddr=[2001:db8::1];transport=tls,"
        + " [2001:db8::1]:5071"
  })
  void theAddressLeadsToTheServer(String server, String transport, String uri, String shown) {
    Telephones telephones = new Telephones(server, transport);
    assertThat(ALICE.uri(telephones)).isEqualTo(uri);
    assertThat(ALICE.server(telephones)).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"sip.example.org:", "sip:example.org", "2001:db8::1", "a b", "x;y", "x:0"})
  void aServerThatIsNoHostIsRefused(String server) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Telephones(server, "udp"));
  }

  @Test
  void aTransportThatTelephonesDoNotHaveIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Telephones("", "sctp"));
  }
}
