package io.viaduct.webgui.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Scenery;
import io.viaduct.webgui.Visitor;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OperatorPagesTest {
  private PeerServer peer;
  private Visitor olga;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
    olga = Visitor.operator();
  }

  @Test
  void operatorsHomeSaysWhatNeedsAttention() {
    peer.snapts.add(PeerServer.snapt("snapt-1", 12));
    Map<String, Object> silent = PeerServer.snapt("snapt-2", 0);
    silent.put("state", "stale");
    peer.snapts.add(silent);
    assertThat(Visitor.location(olga.get("/"))).endsWith("/operator");
    String page = olga.get("/operator").body();
    assertThat(Visitor.text(page, "attention-snapts")).isEqualTo("away: 1 of 2");
    assertThat(Visitor.text(page, "attention-held")).isEqualTo("none");
    assertThat(Visitor.text(page, "attention-discrepant")).contains("counted less: 1");
    assertThat(Visitor.text(page, "attention-ledger")).isEqualTo("an invariant is broken");
    assertThat(Visitor.text(page, "attention-lag"))
        .isEqualTo("reports arrive 1.25 s after their interval");
    assertThat(page).contains("snapt-2", "data-chart=\"hours-spent\"", "1.75\u00a0GB");
    peer.bridge = PeerServer.Mood.FAILING;
    assertThat(Visitor.text(olga.get("/operator").body(), "attention-snapts"))
        .isEqualTo("The bridge does not answer.");
  }

  @Test
  void anInvariantIsSaidInTheViewersLanguageAndOneOfALaterBillingInEnglish() {
    assertThat(Visitor.text(olga.get("/ledger").body(), "invariant-row"))
        .isEqualTo("All accounts sum to 0. holds");
    String italian = olga.get("/ledger", "Accept-Language", "it").body();
    assertThat(Visitor.text(italian, "invariant-row"))
        .isEqualTo("La somma di tutti i conti è 0. vale");
    assertThat(italian).contains("<span lang=\"en\">each top-up is posted with its amount</span>");
  }

  @Test
  void accountsAreListed() {
    assertThat(olga.get("/accounts").body())
        .contains("data-account-id=\"alice\"", "href=\"/accounts/alice\"", "Alice A.", "operator");
  }

  @Test
  void registrationsAreShownWithTheirSessions() {
    Scenery.arrange(peer);
    String page = olga.get("/registrations?search=al").body();
    assertThat(Visitor.text(page, "registration-row"))
        .contains("alice", "snapt-1", "sip:alice@192.0.2.7:5060", "2026-11-20 11:00:00")
        .contains("S-CSCF sip:scscf.ims.test", "ICID Ay+6=02", "CCF aaa://cdf", "ECF aaa://ocs");
    assertThat(Visitor.text(page, "registrations-total")).isEqualTo("Contacts: 51");
    assertThat(page).contains("cursor=bmV4dA");
    assertThat(Visitor.text(page, "error-row"))
        .contains("wrong_password", "the password is wrong", "the credentials", "12");
    assertThat(peer.asked).contains("search=al&cursor=&limit=50");
    assertThat(peer.work.asked).contains("GET credit/sessions?accounts=alice");
  }

  @Test
  void theLedgerIsVerifiedWithoutWaitingForItAndTheLastResultIsShown() {
    String page = olga.get("/ledger").body();
    assertThat(Visitor.text(page, "verification-outcome")).isEqualTo("an invariant is broken");
    assertThat(page).contains("2 rows break it", "top-up k-1").doesNotContain("hx-trigger");
    assertThat(Visitor.text(page, "ledger-sum")).isEqualTo("0 den");
    var begun = olga.post("/ledger/verify", Map.of("_csrf", Visitor.hidden(page, "_csrf")));
    assertThat(Visitor.location(begun)).isEqualTo("/ledger");
    String running = olga.get("/ledger").body();
    assertThat(Visitor.text(running, "verification-running")).contains("3 of 17 invariants");
    assertThat(running).contains("hx-trigger=\"every 1s\"", "2 rows break it");
    assertThat(olga.get("/ledger/runs", "HX-Request", "true").body())
        .contains("verification-running")
        .doesNotContain("<html");
  }

  @Test
  void snaptsAreListedWithSessionsAndRates() {
    peer.snapts.add(PeerServer.snapt("snapt-1", 12));
    Map<String, Object> silent = PeerServer.snapt("snapt-2", 0);
    silent.put("state", "stale");
    peer.snapts.add(silent);
    String page = olga.get("/snapts").body();
    assertThat(page)
        .contains("data-snapt-id=\"snapt-1\"", "data-snapt-id=\"snapt-2\"", "silent")
        .contains("hx-trigger=\"every 500ms\"");
    assertThat(Visitor.text(page, "snapt-sessions")).startsWith("12 / 1\u202f000");
    assertThat(Visitor.text(page, "snapt-up")).isEqualTo("1.20 Mbit/s");
    assertThat(Visitor.text(page, "snapt-down")).isEqualTo("48.3 Mbit/s");
  }

  @Test
  void aSnaptDrainsAndServesAgainByTheButtonInTheNameOfTheOperator() {
    peer.snapts.add(PeerServer.snapt("snapt-1", 12));
    String page = olga.get("/snapts").body();
    assertThat(page).contains("Let snapt-1 drain").doesNotContain("snapt-draining");
    assertThat(Visitor.text(page, "snapt-price")).contains("2.50", "den");
    assertThat(Visitor.text(page, "snapt-load")).isEqualTo("load 7 %");
    Map<String, String> token = Map.of("_csrf", Visitor.hidden(page, "_csrf"));
    assertThat(Visitor.location(olga.post("/snapts/snapt-1/drain", token))).isEqualTo("/snapts");
    String after = olga.get("/snapts").body();
    assertThat(Visitor.text(after, "done")).startsWith("The order is sent.");
    assertThat(Visitor.text(after, "snapt-draining")).isEqualTo("draining");
    assertThat(after).contains("Let snapt-1 serve again");
    olga.post("/snapts/snapt-1/undrain", token);
    assertThat(peer.ordered).containsExactly("snapt-1/drain by olga", "snapt-1/undrain by olga");
    assertThat(peer.changes)
        .as("billing's audit log has them")
        .containsExactly(
            "/snapts/snapt-1/drain-orders {\"action\":\"drain\"}",
            "/snapts/snapt-1/drain-orders {\"action\":\"undrain\"}");
  }

  @Test
  void theFormOfADrainHasAnOptionalDeadline() {
    peer.snapts.add(PeerServer.snapt("snapt-1", 12));
    String csrf = Visitor.hidden(olga.get("/snapts").body(), "_csrf");
    olga.post("/snapts/drain", Map.of("_csrf", csrf, "id", "snapt-1", "deadline", " 3600 "));
    assertThat(Visitor.text(olga.get("/snapts").body(), "done")).startsWith("The order is sent.");
    olga.post("/snapts/drain", Map.of("_csrf", csrf, "id", "snapt-1", "deadline", ""));
    assertThat(Visitor.text(olga.get("/snapts").body(), "done")).startsWith("The order is sent.");
    olga.post("/snapts/drain", Map.of("_csrf", csrf, "id", "snapt-1", "deadline", "1h"));
    assertThat(Visitor.text(olga.get("/snapts").body(), "problem")).contains("must be digits");
    assertThat(peer.ordered)
        .containsExactly("snapt-1/drain by olga in 3600 s", "snapt-1/drain by olga");
  }

  @Test
  void anOperatorEnrolsASnaptSchedulesAPriceAndRemovesTheSnapt() {
    String page = olga.get("/snapts").body();
    String csrf = Visitor.hidden(page, "_csrf");
    olga.post(
        "/snapts/enrol",
        Map.of("_csrf", csrf, "id", "snapt-9", "reportKey", "KEY=", "owner", "acme", "region", ""));
    assertThat(Visitor.text(olga.get("/snapts").body(), "done")).contains("is enrolled");
    olga.post(
        "/snapts/price",
        Map.of(
            "_csrf",
            csrf,
            "owner",
            "acme",
            "HT_HD",
            "2,5",
            "LT_LD",
            "0.5",
            "from",
            "2100-01-01T00:00"));
    assertThat(Visitor.text(olga.get("/snapts").body(), "done")).contains("price is stored");
    olga.post("/snapts/price", Map.of("_csrf", csrf, "owner", "acme", "HT_HD", "much"));
    assertThat(Visitor.text(olga.get("/snapts").body(), "problem")).contains("must be digits");
    olga.post("/snapts/remove", Map.of("_csrf", csrf, "id", "snapt-9"));
    assertThat(peer.ordered).hasSize(3);
    assertThat(peer.ordered.get(0))
        .startsWith("PUT /snapts/snapt-9 ")
        .contains("\"reportKey\":\"KEY=\"", "\"owner\":\"acme\"");
    assertThat(peer.ordered.get(1))
        .startsWith("POST /owners/acme/surcharges ")
        .contains("\"HT_HD\":0.0025", "\"LT_LD\":0.0005", "\"effectiveFrom\":\"2100-01-01T");
    assertThat(peer.ordered.get(2)).isEqualTo("DELETE /snapts/snapt-9");
  }

  @Test
  void refusedDuplicateOfASnaptIsShownWithItsAddress() {
    peer.snapts.add(PeerServer.snapt("snapt-1", 12));
    assertThat(olga.get("/snapts").body()).doesNotContain("snapt-duplicates");
    Map<String, Object> cloned = PeerServer.snapt("snapt-2", 3);
    cloned.put("duplicatesRefused", 2);
    cloned.put("duplicateFrom", "10.71.0.99");
    peer.snapts.add(cloned);
    String page = olga.get("/snapts").body();
    assertThat(Visitor.text(page, "snapt-duplicates"))
        .isEqualTo("Duplicates refused: 2, the last from 10.71.0.99");
  }

  @Test
  void snaptTableIsAskedForAgainAsAFragment() {
    String empty = olga.get("/snapts/table", "HX-Request", "true").body();
    assertThat(empty).contains("data-testid=\"snapts-empty\"").doesNotContain("<html");
    peer.snapts.add(PeerServer.snapt("snapt-1", 12));
    assertThat(olga.get("/snapts/table", "HX-Request", "true").body())
        .contains("data-snapt-id=\"snapt-1\"");
  }

  @Test
  void refusedAndMissingReportsAreListed() {
    assertThat(olga.get("/reports").body())
        .contains("data-testid=\"reports-empty\"", "data-testid=\"gaps-empty\"");
    peer.refusedReports.add(
        Map.of(
            "snapt",
            "snapt-1",
            "session",
            "s",
            "epoch",
            3,
            "sequence",
            41,
            "account",
            "mallory",
            "reason",
            "UNKNOWN_ACCOUNT",
            "detail",
            "unknown account",
            "receivedAt",
            "2026-11-20T10:01:01Z"));
    peer.gaps.add(Map.of("snapt", "snapt-1", "epoch", 3, "from", 17, "to", 19, "account", "bob"));
    assertThat(olga.get("/reports").body()).doesNotContain("gaps-older");
    peer.gaps.add(Map.of("snapt", "snapt-1", "epoch", 3, "from", 27, "to", 29, "account", "bob"));
    assertThat(Visitor.text(olga.get("/operator").body(), "attention-gaps"))
        .as("a page of them is not all of them")
        .isEqualTo("gaps in the sequences of reports: 2 and more");
    assertThat(olga.get("/reports").body()).contains("gapsCursor=older-gaps");
    assertThat(olga.get("/reports?gapsCursor=older-gaps").body())
        .contains("data-testid=\"gap-row\"")
        .doesNotContain("gaps-older");
    peer.gaps.removeLast();
    String italian = olga.get("/reports", "Accept-Language", "it").body();
    assertThat(Visitor.text(italian, "report-cause")).isEqualTo("Il conto non esiste.");
    assertThat(italian)
        .contains("<small lang=\"en\" data-testid=\"report-detail\">unknown account</small>");
    assertThat(olga.get("/reports").body())
        .contains("data-testid=\"report-row\"", "unknown account", "UNKNOWN_ACCOUNT", "mallory")
        .contains("data-testid=\"gap-row\"", "3 / 17–19");
  }

  @Test
  void operationsPortAnswersAndThePagesPortDoesNot() {
    Visitor operations = new Visitor(RunningWebgui.operations());
    assertThat(operations.get("/livez", "Accept", "*/*").statusCode()).isEqualTo(200);
    assertThat(operations.get("/readyz", "Accept", "*/*").statusCode()).isEqualTo(200);
    assertThat(operations.get("/metrics", "Accept", "text/plain").body())
        .contains("jvm_memory_used_bytes", "viaduct_webgui_logins_total");
    for (String path : new String[] {"/livez", "/readyz", "/metrics"}) {
      assertThat(olga.get(path).statusCode()).as(path).isEqualTo(404);
    }
  }
}
