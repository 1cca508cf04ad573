package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PaymentPagesTest {
  private PeerServer peer;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
  }

  private static Map<String, String> form(String page, String amount, String reason) {
    String credit = page.substring(page.indexOf("data-testid=\"credit-form\""));
    return new HashMap<>(
        Map.of(
            "_csrf",
            Visitor.hidden(page, "_csrf"),
            "idempotencyKey",
            Visitor.hidden(credit, "idempotencyKey"),
            "amount",
            amount,
            "reference",
            reason));
  }

  @Test
  void creditIsGivenWithItsReasonAndItsOwnerReadsIt() {
    Visitor olga = Visitor.operator();
    String page = olga.get("/accounts/alice").body();
    HttpResponse<String> answer =
        olga.post("/accounts/alice/credits", form(page, "2.5", "down on Monday"));
    assertThat(Visitor.location(answer)).isEqualTo("/accounts/alice");
    assertThat(Visitor.text(olga.get("/accounts/alice").body(), "credit-done"))
        .isEqualTo("2.500000 denarii given.");
    assertThat(peer.received)
        .singleElement()
        .extracting("amount", "reference")
        .containsExactly("2500000", "down on Monday/-");
    Visitor alice = Visitor.alice();
    assertThat(Visitor.text(alice.get("/").body(), "payment-reference"))
        .isEqualTo("down on Monday");
    assertThat(alice.get("/").body()).doesNotContain("credit-form");
    assertThat(alice.get("/accounts/alice/credits").body()).contains("down on Monday", "olga");
  }

  @Test
  void refundNamesItsChargeAndARefusalIsToldBesideTheForm() {
    peer.charges.add(PeerServer.charge("c1", "alice"));
    Visitor olga = Visitor.operator();
    Map<String, String> form = form(olga.get("/charges/c1").body(), "1", "twice");
    form.put("charge", "c1");
    HttpResponse<String> answer = olga.post("/accounts/alice/credits", form);
    assertThat(Visitor.location(answer)).isEqualTo("/charges/c1");
    assertThat(peer.received).singleElement().extracting("reference").isEqualTo("twice/c1");

    peer.refusingCredits = true;
    form = form(olga.get("/charges/c1").body(), "1", "more");
    form.put("charge", "c1");
    olga.post("/accounts/alice/credits", form);
    assertThat(olga.get("/charges/c1").body())
        .contains("data-problem=\"credit.problem.refused\"", "may still be refunded");
  }

  @Test
  void chargeShowsWhatWasRefundedAndOffersNoMore() {
    Map<String, Object> charge = PeerServer.charge("c1", "alice");
    charge.put("refundedMicrodenarii", charge.get("netMicrodenarii"));
    peer.charges.add(charge);
    String page = Visitor.operator().get("/charges/c1").body();
    assertThat(Visitor.text(page, "charge-refunded")).isEqualTo("\u221212.7 den");
    assertThat(page).doesNotContain("credit-form");
  }

  @Test
  void topUpsAreListedWithWhoWhenAndReference() {
    peer.topUps.add(PeerServer.payment(null, "invoice \u202e7", null));
    String page = Visitor.alice().get("/accounts/alice/top-ups").body();
    assertThat(page)
        .contains("<bdi>invoice \ufffd7</bdi>", "olga", "2026-11-20 10:00:00", "2.500000");
    assertThat(Visitor.alice().get("/accounts/alice/credits").body())
        .contains("data-testid=\"payments-empty\"");
  }

  @Test
  void whatCapsGaveBackIsSaidWithTheSumTheCapAndTheTime() {
    peer.capCredits.add(PeerServer.capCredit("skype-video", "5000000", "8500000"));
    peer.moreCapCredits = "further";
    Visitor alice = Visitor.alice();
    String page = alice.get("/accounts/alice/credits").body();
    assertThat(Visitor.text(page, "cap-credit-reason"))
        .isEqualTo(
            "skype-video cost 13.5 den in the hour from 2026-11-20 10:00:00. The cap is 5.00 den.");
    assertThat(Visitor.text(page, "cap-credit-amount")).isEqualTo("8.50 den");
    String older = Visitor.first(page, "href=\"([^\"#]*)#caps\" data-testid=\"cap-credits-older\"");
    alice.get(older.replace("&amp;", "&"));
    assertThat(peer.asked)
        .anyMatch(uri -> uri.endsWith("/accounts/alice/cap-credits?limit=50&cursor=further"));

    peer.capCredits.set(0, PeerServer.capCredit(null, "13500000", "-1500000"));
    page = alice.get("/accounts/alice/credits").body();
    assertThat(Visitor.text(page, "cap-credit-reason"))
        .startsWith("The day 2026-11-20 (UTC) cost 13.5 den. That is not above the cap any more");
    assertThat(alice.get("/accounts/alice/top-ups").body()).doesNotContain("cap-credits");
  }

  @Test
  void chargesAreFilteredByTimeClassAndStateAlsoInTheirFile() {
    Visitor alice = Visitor.alice();
    String query = "from=2026-11-20T10:00&to=2026-11-21&class=HT_HD&state=final&passedBy=grace";
    String page = alice.get("/accounts/alice/charges?" + query).body();
    assertThat(page)
        .contains("value=\"2026-11-20T10:00\"")
        .containsPattern("<option value=\"HT_HD\" selected=\"selected\">HT&amp;HD high")
        .containsPattern("<option value=\"final\" selected=\"selected\">")
        .containsPattern("<option value=\"grace\" selected=\"selected\">a grace");
    String asked =
        "from=2026-11-20T10%3A00%3A00Z&to=2026-11-21T00%3A00%3A00Z&class=HT_HD&state=final&passedBy=grace";
    assertThat(peer.asked).last().asString().endsWith("charges?limit=5&" + asked);
    String link = Visitor.first(page, "href=\"([^\"]*charges\\.csv[^\"]*)\"").replace("&amp;", "&");
    HttpResponse<String> file = alice.get(link);
    assertThat(peer.asked).last().asString().endsWith("charges.csv?" + asked);
    assertThat(file.headers().firstValue("Content-Type").orElse("")).startsWith("text/csv");
    assertThat(file.headers().firstValue("Content-Disposition"))
        .contains("attachment; filename=\"viaduct-charges-alice.csv\"");
    // More than limits.answer-bytes: a file is handed on, not read.
    assertThat(file.body()).hasSize("id,reason\r\n".length() + 500_000);
  }

  @Test
  void filterThatBillingRefusesIsToldOnThePage() {
    String page = Visitor.alice().get("/accounts/alice/charges?from=yesterday").body();
    assertThat(page)
        .contains("data-testid=\"filter-problem\"", "The filter cannot be used so")
        .contains("lang=\"en\" data-testid=\"refusal-detail\">from must be a time");
    assertThat(page).contains("data-testid=\"charges-filter\"");
  }

  @Test
  void usageShowsRowsTheirSumAndAFile() {
    peer.usage.put(
        "usage",
        List.of(
            PeerServer.sums("2026-11-20", "12", "4000000"),
            PeerServer.sums("2026-11-19", "3", "1000000")));
    peer.usage.put("total", PeerServer.sums(null, "15", "5000000"));
    Visitor alice = Visitor.alice();
    String page = alice.get("/accounts/alice/usage?by=day,class").body();
    assertThat(page)
        .contains("2026-11-20", "HT&amp;HD", "1.53\u00a0MB", "4.000000\u00a0den", "width=\"25\"");
    assertThat(Visitor.text(page, "usage-total")).startsWith("Together 5.00 den 15 ");
    String link = Visitor.first(page, "href=\"([^\"]*usage\\.csv[^\"]*)\"").replace("&amp;", "&");
    assertThat(alice.get(link).headers().firstValue("Content-Disposition"))
        .contains("attachment; filename=\"viaduct-usage-alice.csv\"");
    assertThat(peer.asked)
        .last()
        .asString()
        .contains("usage.csv?from=")
        .endsWith("&zone=UTC&by=day%2Cclass");
  }
}
