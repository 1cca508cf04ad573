package io.viaduct.billing.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.apache.hc.client5.http.DnsResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetRulesTest {
  private static TargetRules rules(String address, String... allowed) {
    return new TargetRules(
        List.of(allowed),
        new DnsResolver() {
          @Override
          public InetAddress[] resolve(String host) {
            return new InetAddress[] {
              InetAddress.ofLiteral("93.184.216.34"), InetAddress.ofLiteral(address)
            };
          }

          @Override
          public String resolveCanonicalHostname(String host) {
            return host;
          }
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "fc00::1",
        "fe80::1",
        "fec0::1",
        "ff02::1"
      })
  void aNameWithOneInternalAddressIsNotReached(String address) {
    assertThatThrownBy(() -> rules(address).resolve("hooks.example"))
        .isInstanceOf(UnknownHostException.class)
        .hasMessageNotContaining(address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111"})
  void theInternetIsReached(String address) throws Exception {
    assertThat(rules(address).resolve("hooks.example")).hasSize(2);
  }

  @Test
  void anAllowedNetworkIsReachedAlsoByPlainHttp() {
    TargetRules rules = rules("10.1.2.3", "10.1.0.0/16", "93.184.216.0/24");
    assertThatCode(() -> rules.require("http://hooks.example/x")).doesNotThrowAnyException();
    assertThatThrownBy(() -> rules("10.2.2.3", "10.1.0.0/16").require("https://hooks.example/x"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> rules("8.8.8.8").require("http://hooks.example/x"))
        .hasMessageContaining("https://");
  }
}
