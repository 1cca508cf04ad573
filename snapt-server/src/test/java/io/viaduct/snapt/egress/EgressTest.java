package io.viaduct.snapt.egress;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EgressTest {
  @Test
  void sourcesAreNotCheckedOnTheTunUnlessTheHostChecksAllDevices() {
    assertThat(Egress.sourceCheck("0\n")).isEqualTo("0");
    assertThat(Egress.sourceCheck("1\n"))
        .as("the loose check, where a check there is")
        .isEqualTo("2");
    assertThat(Egress.sourceCheck("2\n")).isEqualTo("2");
  }
}
