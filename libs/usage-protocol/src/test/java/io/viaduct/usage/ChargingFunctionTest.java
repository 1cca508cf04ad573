package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChargingFunctionTest {
  @Test
  void theDigestIsThatOfTheHost() {
    // printf cdf.ims.test | sha256sum
    assertThat(ChargingFunction.digest("cdf.ims.test")).hasValue(0x4fb8_3018_a7dd_380bL);
    assertThat(ChargingFunction.digest("CDF.ims.test:3868"))
        .isEqualTo(ChargingFunction.digest("aaa://cdf.ims.test:3868;transport=tcp"))
        .isEqualTo(ChargingFunction.digest("cdf.ims.test"));
    assertThat(ChargingFunction.digest("192.0.2.3"))
        .isPresent()
        .isNotEqualTo(ChargingFunction.digest("192.0.2.4"));
  }

  @Test
  void whatHasNoHostHasNone() {
    assertThat(ChargingFunction.digest("[2001:db8::1]")).isEmpty();
    assertThat(ChargingFunction.digest("sip:cdf.ims.test")).isEmpty();
    assertThat(ChargingFunction.digest("")).isEmpty();
  }
}
