package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.BroughtMoneyPeer;
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

class BringMoneyTest {
  private static final String PAGE = "/accounts/alice/top-up";

  private PeerServer peer;
  private Visitor alice;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
    alice = Visitor.alice();
  }

  private HttpResponse<String> redeem(String code) {
    String page = alice.get(PAGE).body();
    return alice.post(
        "/accounts/alice/redemptions",
        Map.of("_csrf", Visitor.hidden(page, "_csrf"), "code", code),
        "X-Forwarded-For",
        "198.51.100.9");
  }

  private Map<String, String> payment(String amount) {
    String page = alice.get(PAGE).body();
    return new HashMap<>(
        Map.of(
            "_csrf",
            Visitor.hidden(page, "_csrf"),
            "idempotencyKey",
            Visitor.hidden(page, "idempotencyKey"),
            "amount",
            amount));
  }

  @Test
  void aVoucherIsRedeemedAndItsAmountShown() {
    peer.money.vouchers.put("7KQ2M", 5_000_000L);
    HttpResponse<String> answer = redeem("7KQ2M");
    assertThat(Visitor.location(answer)).endsWith(PAGE);
    String page = alice.get(PAGE).body();
    assertThat(Visitor.text(page, "redeemed"))
        .isEqualTo("Voucher 12-1 redeemed: 5.000000 den added.");
    assertThat(Visitor.text(page, "bring-balance")).isEqualTo("17.3 den");
    assertThat(page).contains("title=\"17.345678\u00a0den\"");
    assertThat(alice.get(PAGE).body()).doesNotContain("data-testid=\"redeemed\"");
    assertThat(peer.money.from).containsExactly("198.51.100.9");
  }

  @ParameterizedTest
  @CsvSource({
    "422, voucher.problem.unknown, false",
    "409, voucher.problem.refused, true",
    "429, voucher.problem.throttled, false",
    "500, voucher.problem.away, false"
  })
  void aRefusedCodeStaysInTheFormWithTheReason(int status, String problem, boolean isDetailed) {
    peer.money.redemptionStatus = status;
    redeem("7KQ2M-typo");
    String page = alice.get(PAGE).body();
    assertThat(page).contains("data-problem=\"" + problem + "\"", "value=\"7KQ2M-typo\"");
    assertThat(page.contains("voucher 12-1 expired at")).isEqualTo(isDetailed);
  }

  @Test
  void aPaymentLeadsToThePayPageAndIsListed() {
    Map<String, String> form = payment("25.5");
    alice.post("/accounts/alice/payments", form);
    String page = alice.get(PAGE).body();
    assertThat(page)
        .contains(
            "href=\"https://pay.example/checkout?payment=0123&amp;account=alice\"",
            "rel=\"noopener noreferrer\"",
            "A payment of 25.5\u00a0den has been started");
    assertThat(page).contains("data-testid=\"started-payment\" data-state=\"started\"");
    peer.money.payments.clear();
    peer.money.payments.add(BroughtMoneyPeer.payment("paid", "25500000"));
    assertThat(alice.get(PAGE).body())
        .contains("data-state=\"paid\"")
        .doesNotContain("pay.example");
  }

  @Test
  void anAddressThatIsNoWebPageIsNoLink() {
    Map<String, Object> payment = BroughtMoneyPeer.payment("started", "5000000");
    payment.put("payUrl", "javascript:alert(1)");
    peer.money.payments.add(payment);
    assertThat(alice.get(PAGE).body()).doesNotContain("javascript:alert");
  }

  @Test
  void aWrongAmountIsMendedOnThePage() {
    alice.post("/accounts/alice/payments", payment("five"));
    assertThat(alice.get(PAGE).body())
        .contains("data-problem=\"topup.problem.amount\"", "value=\"five\"");
    alice.post("/accounts/alice/payments", payment("2000"));
    assertThat(alice.get(PAGE).body())
        .contains(
            "data-problem=\"payment.problem.range\"",
            "A payment is 1.00\u00a0den to 1\u202f000\u00a0den.");
    assertThat(peer.money.payments).isEmpty();
  }

  @Test
  void withoutAProviderThePageSaysSo() {
    peer.money.possible = false;
    assertThat(alice.get(PAGE).body())
        .contains("data-testid=\"payment-none\"")
        .doesNotContain("data-testid=\"payment-form\"");
  }

  @Test
  void nobodyBringsMoneyToTheAccountOfAnother() {
    String page = alice.get(PAGE).body();
    HttpResponse<String> answer =
        alice.post(
            "/accounts/bob/redemptions",
            Map.of("_csrf", Visitor.hidden(page, "_csrf"), "code", "x"));
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(alice.get("/accounts/bob/top-up").statusCode()).isEqualTo(403);
    assertThat(peer.money.from).isEmpty();
  }
}
