package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FlowFilterTest {
  private static DataStatus.FlowStatus flow(int localPort, String remote) {
    return new DataStatus.FlowStatus(
        1, 6, localPort, remote, "web", "HT_HD", null, 0, 0, 0, 0, 0, "a", "", "");
  }

  @Test
  void anIpv6AddressIsComparedAsANumberInTheBracketsOfRfc3986() {
    DataStatus.FlowStatus flow = flow(5_000, "[2001:db8:0:0:0:0:0:7]:443");
    assertThat(FlowFilter.of("[2001:db8::7]:443", "").holds(flow)).isTrue();
    assertThat(FlowFilter.of("[2001:DB8:0::7]:443", "5000").holds(flow)).isTrue();
    assertThat(FlowFilter.of("2001:db8::7", "").holds(flow)).isTrue();
    assertThat(FlowFilter.of("[2001:db8::7]", "").holds(flow)).isTrue();
    assertThat(FlowFilter.of("[2001:db8::8]:443", "").holds(flow)).isFalse();
    assertThat(FlowFilter.of("[2001:db8::7]:80", "").holds(flow)).isFalse();
  }

  @Test
  void theLocalPortSelectsOneOfSeveralFlows() {
    DataStatus.FlowStatus flow = flow(5_000, "198.51.100.7:443");
    assertThat(FlowFilter.of("198.51.100.7:443", "5000").holds(flow)).isTrue();
    assertThat(FlowFilter.of("198.51.100.7:443", "5001").holds(flow)).isFalse();
  }

  @Test
  void aWrongWordIsRefusedWithItsForm() {
    assertThatThrownBy(() -> FlowFilter.of("2001:db8::7:99999", ""))
        .hasMessageContaining("[2001:db8::7]:5060")
        .hasMessageContaining("2001:db8::7:99999");
    assertThatThrownBy(() -> FlowFilter.of("[198.51.100.7]:443", ""))
        .hasMessageContaining("198.51.100.7:5060");
    assertThatThrownBy(() -> FlowFilter.of("example.com:443", ""))
        .hasMessageContaining("example.com:443");
    assertThatThrownBy(() -> FlowFilter.of("198.51.100.7:443", "0"))
        .hasMessage("the local port must be a number from 1 to 65535, got '0'");
  }
}
