package io.viaduct.snapt.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EgressRuleTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp 25",
        "10.1.0.0/16",
        "192.0.2.53/32 udp 53",
        "fd00::/8 tcp 1000-2000",
        "icmp",
        "47",
        "0.0.0.0/0 50"
      })
  void aRuleIsPrintedAsItWasWritten(String text) {
    assertThat(EgressRule.of(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "tcp 0",
        "tcp 70000",
        "tcp 30-20",
        "icmp 5",
        "tcp 25 26",
        "256",
        "10.1.0.1/16",
        "mail"
      })
  void anythingElseIsRefusedWithTheText(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EgressRule.of(text))
        .withMessageContaining("'" + text + "'");
  }
}
