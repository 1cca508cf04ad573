package io.viaduct.service.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedProxiesTest {
  private final TrustedProxies proxies =
      new TrustedProxies(List.of("127.0.0.0/8", "::1", "10.1.2.0/23"));

  @ParameterizedTest
  @CsvSource({
    "203.0.113.1, '198.51.100.1',              203.0.113.1",
    "127.0.0.1,   '198.51.100.1',              198.51.100.1",
    "127.0.0.1,   '1.1.1.1, 198.51.100.1',     198.51.100.1",
    "127.0.0.1,   '198.51.100.1, 10.1.3.255',  198.51.100.1",
    "127.0.0.1,   '198.51.100.1, 10.1.4.0',    10.1.4.0",
    "127.0.0.1,   '10.1.2.1, 10.1.2.2',        10.1.2.1",
    "127.0.0.1,   'unknown',                   127.0.0.1",
    "127.0.0.1,   '1.1.1.1, evil.example',     127.0.0.1",
    "127.0.0.1,   '',                          127.0.0.1",
    "::1,         '2001:db8::1',               2001:db8::1",
    "::2,         '2001:db8::1',               ::2"
  })
  void theVisitorIsTheLastAddressThatNoTrustedProxyHas(
      String remote, String header, String visitor) {
    assertThat(proxies.visitor(remote, List.of(header))).isEqualTo(InetAddress.ofLiteral(visitor));
  }

  @Test
  void withoutAHeaderTheVisitorIsTheOtherEnd() {
    assertThat(proxies.visitor("127.0.0.1", List.of()))
        .isEqualTo(InetAddress.ofLiteral("127.0.0.1"));
  }

  @Test
  void severalHeadersAreReadAsOne() {
    assertThat(proxies.visitor("127.0.0.1", List.of("1.1.1.1", "198.51.100.1, 10.1.2.1")))
        .isEqualTo(InetAddress.ofLiteral("198.51.100.1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"proxy.example", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "", "::/129"})
  void aProxyThatIsNoAddressOrNetworkIsRefusedByName(String text) {
    assertThatThrownBy(() -> new TrustedProxies(List.of(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }
}
