package io.viaduct.bridge.token;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.SipSide;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.Arrival;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests which SUBSCRIBEs refresh a subscription, and which of their fields the NOTIFYs repeat (RFC
/// 6665 section 4, RFC 3261 section 12.2.2).
class SubscriptionDialogTest {
  private final SipSide bridge = new SipSide();

  @BeforeEach
  void register() {
    answer(SipSide.register("alice", 1, "m:sip:a@b"));
  }

  private SipResponse answer(String request) {
    byte[] datagram = Arrival.input(request);
    return bridge.tellWithCredentials((SipRequest) SipSide.arrival(datagram).orElseThrow());
  }

  private SipResponse subscribe(String toParameters, int cseq, String event) {
    return answer(
        """
        SUBSCRIBE sip:snapt@ims.test SIP/2.0
        Via:SIP/2.0/UDP a
        From:sip:alice@ims.test;tag=1
        To:<sip:alice@ims.test>%s
        Call-ID:a
        CSeq:%d SUBSCRIBE
        Max-Forwards:9
        Contact:sip:alice@192.0.2.7
        Event:%s
        Content-Length:59

        {"deviceKey":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}\
        """
            .formatted(toParameters, cseq, event));
  }

  private static String tag(SipResponse accepted) {
    assertThat(accepted.status()).isEqualTo(200);
    return ";tag=" + accepted.to().tag();
  }

  private String notifiedEvent() {
    var sent = bridge.sent();
    assertThat(sent).hasSize(1);
    return sent.getFirst().request().headers().require("Event");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          snapt-session         | snapt-session
          snapt-session;id=7    | snapt-session;id=7
          snapt-session ; ID = x.-!%*_+`~ | snapt-session;id=x.-!%*_+`~
          snapt-session;a=b;id=q | snapt-session;id=q
          """)
  void eachNotifyRepeatsTheEventAndItsId(String asked, String notified) {
    String dialog = tag(subscribe("", 1, asked));
    assertThat(notifiedEvent()).isEqualTo(notified);
    tag(subscribe(dialog, 2, asked));
    assertThat(notifiedEvent()).isEqualTo(notified);
    bridge.pass(Duration.ofHours(2));
    assertThat(notifiedEvent()).isEqualTo(notified);
  }

  @Test
  void aRefreshWithAnotherIdBelongsToNoSubscription() {
    String dialog = tag(subscribe("", 1, "snapt-session;id=7"));
    assertThat(subscribe(dialog, 2, "snapt-session;id=8").status()).isEqualTo(481);
    assertThat(subscribe(dialog, 2, "snapt-session").status()).isEqualTo(481);
    tag(subscribe(dialog, 2, "snapt-session;id=7"));
  }

  @Test
  void aRefreshThatWasOvertakenIsAnErrorAndLeavesTheSubscriptionAsItIs() {
    String dialog = tag(subscribe("", 5, "snapt-session"));
    notifiedEvent();
    assertThat(subscribe(dialog, 4, "snapt-session").status()).isEqualTo(500);
    assertThat(bridge.sent()).isEmpty();
    assertThat(bridge.subscriptions()).isEqualTo(1);
    tag(subscribe(dialog, 6, "snapt-session"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"presence", "snapt-session.x", "snapt-session;id=\"a b\"", ";id=1"})
  void anEventThatIsNotOursOrAnIdThatIsNoTokenIsABadEvent(String event) {
    assertThat(subscribe("", 1, event).status()).isEqualTo(489);
    assertThat(bridge.subscriptions()).isZero();
  }

  private void endWhileBusy() {
    tag(subscribe("", 1, "snapt-session"));
    notifiedEvent();
    bridge.busy(true);
    bridge.pass(Duration.ofHours(2));
    assertThat(bridge.subscriptions()).isZero();
    assertThat(bridge.sent()).isEmpty();
  }

  @Test
  void theLastNotifyThatABusyEndpointRefusesIsSentLaterAndOnce() {
    endWhileBusy();
    bridge.pass(Duration.ofSeconds(1));
    assertThat(bridge.sent()).as("still busy").isEmpty();
    bridge.busy(false);
    bridge.pass(Duration.ofSeconds(1));
    assertThat(bridge.sent())
        .singleElement()
        .satisfies(sent ->
            assertThat(sent.request().headers().require("Subscription-State"))
                .isEqualTo("terminated;reason=timeout"));
    bridge.pass(Duration.ofSeconds(1));
    assertThat(bridge.sent()).isEmpty();
  }

  @Test
  void theLastNotifyIsGivenUpAndCountedWhenTheEndpointIsBusyFor32Seconds() {
    double before = SipSide.endingsLost("too_late");
    endWhileBusy();
    bridge.pass(Duration.ofSeconds(33));
    bridge.busy(false);
    bridge.pass(Duration.ofSeconds(1));
    assertThat(bridge.sent()).isEmpty();
    assertThat(SipSide.endingsLost("too_late")).isEqualTo(before + 1);
  }
}
