package io.viaduct.webgui.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.OperatorPeer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CreditPagesTest {
  private static final String PAGE = "/accounts/alice/credit";

  private OperatorPeer peer;
  private Visitor olga;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer().work;
    olga = Visitor.operator();
  }

  private Map<String, String> form() {
    String body = olga.get(PAGE).body();
    Map<String, String> form = new HashMap<>();
    form.put("_csrf", Visitor.hidden(body, "_csrf"));
    form.put("tag", Visitor.hidden(body, "tag").replace("&quot;", "\""));
    return form;
  }

  private String send(String what, Map<String, String> form) {
    HttpResponse<String> answer = olga.post(PAGE + "/" + what, form);
    assertThat(Visitor.location(answer)).isEqualTo(PAGE);
    return olga.get(PAGE).body();
  }

  @Test
  void theListShowsMoneyAndWhatStandsOut() {
    peer.rows.put("alice", Map.of("blocked", true));
    peer.rows.put("bob", Map.of("state", "suspended", "credit", "exhausted"));
    peer.setNext("bmV4dA");
    String page = olga.get("/accounts?search=a&state=blocked&sort=balance").body();
    assertThat(page)
        .contains("data-standing=\"blocked\"", "data-standing=\"suspended\"")
        .contains("data-microdenarii=\"12345678\"", "1.23\u00a0den", "45.7\u00a0den")
        .contains("cursor=bmV4dA", "search=a", "state=blocked", "sort=balance");
    assertThat(peer.asked)
        .contains("GET accounts?limit=50&cursor=&search=a&state=blocked&sort=balance");
  }

  @Test
  void theCreditOfAnAccountIsShownWithReservationsNoticesAndWallets() {
    peer.reservations.add(OperatorPeer.reservation("alice", true));
    peer.notices.add(OperatorPeer.notice("low", "given-up"));
    peer.wallets.add(OperatorPeer.wallet("grant", "welcome"));
    String page = olga.get(PAGE).body();
    assertThat(Visitor.text(page, "available")).isEqualTo("12.3 den");
    assertThat(page).contains("2\u00a0d 20\u00a0h", "less than it needs", "500\u00a0kB");
    assertThat(Visitor.text(page, "notice-row")).contains("low", "given up", "status 503");
    assertThat(Visitor.text(page, "wallet-row")).contains("welcome", "grant", "1.25 den");
  }

  @Test
  void aBlockNeedsAReasonAndIsLiftedAgain() {
    Map<String, String> block = form();
    block.put("blocked", "true");
    assertThat(send("block", block)).contains("data-problem=\"decision.problem.reason\"");
    block.put("reason", "stolen card");
    assertThat(send("block", block)).contains("The account is blocked");
    assertThat(peer.changes)
        .singleElement()
        .asString()
        .startsWith("PUT accounts/alice/credit/block")
        .contains("\"blocked\":true", "\"reason\":\"stolen card\"");
    peer.block =
        Map.of("reason", "stolen card", "decidedBy", "olga", "decidedAt", "2026-11-20T10:00:00Z");
    String page = olga.get(PAGE).body();
    assertThat(Visitor.text(page, "blocked"))
        .isEqualTo(
            "Blocked since 2026-11-20 10:00:00 by olga: its sessions get no quotas. stolen card");
    assertThat(Visitor.text(page, "block-submit")).isEqualTo("Lift the block");
  }

  @Test
  void limitAndCapsAreSetAndAnotherOperatorsChangeIsNotOverwritten() {
    Map<String, String> limit = form();
    Map<String, String> late = form();
    limit.put("amount", "7.5");
    assertThat(send("limit", limit)).contains("The credit limit is set");
    assertThat(peer.changes.getLast()).contains("\"limitMicrodenarii\":\"7500000\"");
    late.put("day", "2");
    late.put("month", "");
    assertThat(send("caps", late)).contains("data-problem=\"outcome.changed\"");
    Map<String, String> caps = form();
    caps.put("day", "2");
    caps.put("month", "");
    assertThat(send("caps", caps)).contains("The caps are set");
    assertThat(peer.changes.getLast()).endsWith("{\"dayMicrodenarii\":\"2000000\"}");
    Map<String, String> wrong = form();
    wrong.put("amount", "much");
    assertThat(send("limit", wrong)).contains("data-problem=\"outcome.amount\"");
  }

  @Test
  void grantsAndAllowanceAreGiven() {
    Map<String, String> grant = form();
    grant.put("idempotencyKey", Visitor.hidden(olga.get(PAGE).body(), "idempotencyKey"));
    grant.put("amount", "5");
    grant.put("reason", "welcome");
    grant.put("expires", "");
    assertThat(send("grants", grant)).contains("creditpage.problem.expires");
    grant.put("expires", "2031-01-01T00:00");
    assertThat(send("grants", grant)).contains("The grant is made");
    assertThat(peer.changes.getLast())
        .contains("\"expiresAt\":\"2031-01-01T00:00:00Z\"", "\"amountMicrodenarii\":\"5000000\"");
    Map<String, String> allowance = form();
    allowance.put("idempotencyKey", UUID.randomUUID().toString());
    allowance.put("tag", "");
    allowance.put("amount", "2");
    send("allowance", allowance);
    allowance.put("amount", "3");
    assertThat(send("allowance", allowance))
        .as("from a page that shows no allowance yet")
        .contains("data-problem=\"outcome.changed\"");
    allowance.put("amount", "");
    assertThat(send("allowance", allowance))
        .as("from a page that is too old")
        .contains("data-problem=\"outcome.changed\"");
    String shown = olga.get(PAGE).body();
    String form = shown.substring(shown.indexOf("data-testid=\"allowance-form\""));
    allowance.put("tag", Visitor.hidden(form, "tag").replace("&quot;", "\""));
    send("allowance", allowance);
    assertThat(peer.changes.subList(1, 3))
        .extracting(change -> change.substring(0, change.indexOf(' ')))
        .isEqualTo(List.of("PUT", "DELETE"));
  }

  @Test
  void theOverviewSumsAllSessions() {
    peer.reservations.add(OperatorPeer.reservation("bob", false));
    String page = olga.get("/credit").body();
    assertThat(Visitor.text(page, "credit-sessions")).isEqualTo("12");
    assertThat(Visitor.text(page, "reservation-row")).contains("web", "bob", "346 mden");
    assertThat(page).contains("account_blocked");
    assertThat(olga.get("/credit?cut=true").body()).contains("smaller than needed");
    assertThat(peer.asked).contains("GET credit?cut=true&limit=50");
  }
}
