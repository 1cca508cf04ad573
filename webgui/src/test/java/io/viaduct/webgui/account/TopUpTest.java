package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopUpTest {
  private PeerServer peer;
  private Visitor olga;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
    olga = Visitor.operator();
  }

  @Test
  void topUpIsBookedAndShown() {
    HttpResponse<String> answer = send(form("5.5", "invoice 7"));
    assertThat(answer.statusCode()).isEqualTo(302);
    assertThat(Visitor.location(answer)).endsWith("/accounts/alice");
    String page = olga.get("/accounts/alice").body();
    assertThat(Visitor.text(page, "topup-done")).isEqualTo("5.500000 denarii added.");
    assertThat(Visitor.text(page, "balance")).isEqualTo("17.8 den");
    assertThat(peer.received).singleElement().extracting("amount").isEqualTo("5500000");
  }

  @Test
  void sameFormSentTwiceIsOneTopUp() {
    Map<String, String> form = form("5", "invoice 7");
    send(form);
    send(form);
    assertThat(peer.received).hasSize(2).extracting("key").containsOnly(form.get("idempotencyKey"));
    assertThat(peer.posted).hasSize(1);
    assertThat(peer.balances.get("alice")).isEqualTo(17_345_678L);
  }

  @Test
  void eachRenderedFormHasItsOwnKey() {
    assertThat(form("5", "a").get("idempotencyKey"))
        .isNotEqualTo(form("5", "a").get("idempotencyKey"));
  }

  @Test
  void lostAnswerKeepsTheFormAndItsKeySoThatSendingAgainIsSafe() {
    Map<String, String> form = form("5", "invoice 7");
    peer.billing = PeerServer.Mood.FAILING;
    send(form);
    peer.billing = PeerServer.Mood.WELL;
    String page = olga.get("/accounts/alice").body();
    assertThat(page).contains("data-problem=\"topup.problem.away\"", "value=\"invoice 7\"");
    assertThat(Visitor.hidden(page, "idempotencyKey")).isEqualTo(form.get("idempotencyKey"));
  }

  @Test
  void sameKeyWithAnotherAmountIsAConflictAndGetsANewKey() {
    Map<String, String> form = form("5", "invoice 7");
    send(form);
    assertThat(olga.get("/accounts/alice").body()).contains("data-testid=\"topup-done\"");
    form.put("amount", "50");
    send(form);
    String page = olga.get("/accounts/alice").body();
    assertThat(page)
        .contains("data-problem=\"topup.problem.conflict\"", "this key was used with another");
    assertThat(Visitor.hidden(page, "idempotencyKey")).isNotEqualTo(form.get("idempotencyKey"));
    assertThat(peer.balances.get("alice")).isEqualTo(17_345_678L);
  }

  @ParameterizedTest
  @CsvSource({
    "'', invoice, topup.problem.amount",
    "five, invoice, topup.problem.amount",
    "-5, invoice, topup.problem.amount",
    "1e3, invoice, topup.problem.amount",
    "0.0000001, invoice, topup.problem.amount",
    "'1,500', invoice, topup.problem.amount",
    "0, invoice, topup.problem.range",
    "100000.000001, invoice, topup.problem.range",
    "5, '', topup.problem.reference"
  })
  void badFormIsRefusedBeforeBillingIsAsked(String amount, String reference, String problem) {
    send(form(amount, reference));
    assertThat(olga.get("/accounts/alice").body()).contains("data-problem=\"" + problem + "\"");
    assertThat(peer.received).isEmpty();
  }

  @Test
  void keyThatNoFormOfOursMadeIsABadRequest() {
    Map<String, String> form = form("5", "invoice 7");
    form.put("idempotencyKey", "x\r\nHost: evil");
    assertThat(send(form).statusCode()).isEqualTo(400);
    assertThat(peer.received).isEmpty();
  }

  private Map<String, String> form(String amount, String reference) {
    String page = olga.get("/accounts/alice").body();
    return new HashMap<>(
        Map.of(
            "_csrf",
            Visitor.hidden(page, "_csrf"),
            "idempotencyKey",
            Visitor.hidden(page, "idempotencyKey"),
            "amount",
            amount,
            "reference",
            reference));
  }

  private HttpResponse<String> send(Map<String, String> form) {
    return olga.post("/accounts/alice/top-ups", form);
  }
}
