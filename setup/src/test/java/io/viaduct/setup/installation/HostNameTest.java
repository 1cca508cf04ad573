package io.viaduct.setup.installation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostNameTest {
  @ParameterizedTest
  @ValueSource(strings = {"198.51.100.7", "::1", "2001:db8::5", "0.0.0.0"})
  void anAddressIsKnownAsOne(String text) {
    assertThat(new HostName(text).isAddress()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "snapt-1", "relay.operator.example", "1st.example", "a"})
  void aDnsNameIsNoAddress(String text) {
    assertThat(new HostName(text).isAddress()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "http://a.example",
        "a.example:443",
        "[2001:db8::5]",
        "A.example",
        "a..b",
        "-a.b",
        "1.2.3",
        "256.1.1.1",
        "1.2.3.4.5",
        "a b",
        "fe80::1%eth0",
        "a.example."
      })
  void anythingElseIsRefusedByValueAndRule(String text) {
    assertThatThrownBy(() -> new HostName(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("IP address or a DNS name");
  }
}
