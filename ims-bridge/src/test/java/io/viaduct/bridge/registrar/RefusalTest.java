package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.bridge.SipSide;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Every refusal has a cause, words and a counter; the words do not make an answer to a forged
/// source long.
class RefusalTest {
  private static SipRequest request(String more) {
    return new SipRequest(
        "REGISTER",
        "sip:ims.test",
        SipHeaders.NONE
            .with("Via", "SIP/2.0/UDP 10.0.0.1;rport;branch=z9hG4bK1")
            .with("From", "<sip:al@ims.test>;tag=1")
            .with("To", "<sip:al@ims.test>")
            .with("Call-ID", "1@10.0.0.1")
            .with("CSeq", "1 REGISTER")
            .with("User-Agent", more));
  }

  private static Stream<String> words() {
    return Stream.of(
            Arrays.stream(Refusal.values()).map(Refusal::words),
            Arrays.stream(io.viaduct.sip.digest.DigestRefusal.values())
                .map(io.viaduct.sip.digest.DigestRefusal::words),
            Arrays.stream(io.viaduct.sip.guard.Refusal.values())
                .map(io.viaduct.sip.guard.Refusal::words))
        .flatMap(each -> each);
  }

  @ParameterizedTest
  @MethodSource
  void words(String words) {
    assertThat(words).as("a sentence").contains(" ");
    assertThat(words).as("as they stand in a quoted string").doesNotContain("\"", "\\");
    assertThat(words).as("short enough for a page and an answer").hasSizeLessThanOrEqualTo(90);
  }

  @ParameterizedTest
  @EnumSource
  void theAnswerHasTheCauseAndTheWordsUnlessTheRequestIsShorterThanAnyUserAgents(Refusal reason) {
    SipRequest whole = request("x".repeat(200));
    SipResponse answer = reason.response(whole, "ims.test");
    assertThat(answer.status()).isEqualTo(reason.status()).isBetween(400, 599);
    assertThat(answer.reason()).as("a phrase of its own").doesNotStartWith("Status ");
    assertThat(answer.warning()).hasValue(reason.words());
    assertThat(answer.encode().length).isLessThanOrEqualTo(2 * whole.encode().length);
    SipRequest brief = request("x");
    assertThat(reason.response(brief, "ims.test").warning()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void eachIsCounted(Refusal reason) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new SipMeters(registry).count(reason);
    assertThat(
            registry
                .get("viaduct_bridge_sip_refused")
                .tag("reason", MetricLabel.of(reason))
                .counter()
                .count())
        .isEqualTo(1);
  }

  @Test
  void aBridgeThatIsStartingSaysSo() {
    double before = SipSide.refused("starting");
    SipResponse answer = new SipSide(false).tell(request("x".repeat(200)));
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.warning().orElseThrow()).contains("starting");
    assertThat(SipSide.refused("starting")).isEqualTo(before + 1);
  }

  @Test
  void noTwoReasonsHaveTheSameWords() {
    assertThat(Arrays.stream(Refusal.values()).map(Refusal::words)).doesNotHaveDuplicates();
  }
}
