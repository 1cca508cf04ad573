package io.viaduct.bridge.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.sip.SipHeaders;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The proxy's decisions of RFC 4028 section 8.1, with a least timer of 120 s and a usual one of
/// 600 s.
class SessionTimerTest {
  private final SessionTimer timer =
      new SessionTimer(Duration.ofSeconds(120), Duration.ofMinutes(10));

  @ParameterizedTest
  @CsvSource({
    "'', '', '', 600, ''",
    "timer, '', '', 600, ''",
    "timer, 300;refresher=uas, '', 300;refresher=uas, ''",
    "timer, 3600;refresher=uac, '', 600;refresher=uac, ''",
    "timer, 3600, 1800, 1800, 1800",
    "timer, '', 900, 900, 900",
    "'', 100, '', 120, 120",
    "'', 100;refresher=uac, 200, 200;refresher=uac, 200"
  })
  void aTimerIsAskedForAndKeptWithinItsBounds(
      String supported, String wanted, String least, String asked, String leastAsked) {
    SessionTimer.Offer offer = timer.offer(headers(supported, wanted, least));
    assertThat(offer).isInstanceOf(SessionTimer.Offer.Taken.class);
    SipHeaders next = ((SessionTimer.Offer.Taken) offer).headers();
    assertThat(next.first("Session-Expires").orElse("")).isEqualTo(asked);
    assertThat(next.first("Min-SE").orElse("")).isEqualTo(leastAsked);
  }

  @ParameterizedTest
  @CsvSource({"timer, 100", "'100rel, TIMER', 119;refresher=uac"})
  void aShorterTimerOfASenderWhoCanAskAgainIsRefused(String supported, String wanted) {
    assertThat(timer.offer(headers(supported, wanted, "")))
        .isEqualTo(new SessionTimer.Offer.TooShort(120));
  }

  private static SipHeaders headers(String supported, String wanted, String least) {
    SipHeaders headers = SipHeaders.NONE;
    headers = supported.isEmpty() ? headers : headers.with("Supported", supported);
    headers = wanted.isEmpty() ? headers : headers.with("Session-Expires", wanted);
    return least.isEmpty() ? headers : headers.with("Min-SE", least);
  }
}
