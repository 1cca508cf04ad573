package io.viaduct.sip.useragent;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipResponse;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RequestedExpiryTest {
  private final RequestedExpiry expiry = new RequestedExpiry(Duration.ofSeconds(60));

  private static SipResponse tooBrief(String least) {
    return new SipResponse(
        423, "Interval Too Brief", SipHeaders.NONE.with("Min-Expires", least), SipBody.EMPTY);
  }

  @Test
  void theServersMinimumIsRequestedAtOnce() {
    assertThat(expiry.adaptTo(tooBrief("90"))).isTrue();
    assertThat(expiry.seconds()).isEqualTo(90);
    assertThat(expiry.granted(OptionalLong.empty())).isEqualTo(90);
  }

  @Test
  void aServerThatWantsMoreEachTimeIsNotAskedAllTheTime() {
    assertThat(expiry.adaptTo(tooBrief("90"))).isTrue();
    assertThat(expiry.adaptTo(tooBrief("91"))).isFalse();
    assertThat(expiry.seconds()).isEqualTo(91);
    expiry.granted(OptionalLong.of(91));
    assertThat(expiry.adaptTo(tooBrief("92"))).isTrue();
  }

  @Test
  void lessThanAskedForOrNoNumberSaysNothing() {
    assertThat(expiry.adaptTo(tooBrief("60"))).isFalse();
    assertThat(expiry.adaptTo(tooBrief("soon"))).isFalse();
    assertThat(expiry.seconds()).isEqualTo(60);
  }

  @Test
  void theGrantNeverExceedsTheRequest() {
    assertThat(expiry.granted(OptionalLong.of(3_600))).isEqualTo(60);
    assertThat(expiry.granted(OptionalLong.of(10))).isEqualTo(10);
  }
}
