package io.viaduct.webgui.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.OperatorPeer;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportDecisionTest {
  private PeerServer peer;
  private Visitor olga;

  @BeforeEach
  void freshPeer() {
    peer = RunningWebgui.freshPeer();
    peer.held.add(PeerServer.held("7", "bob", "UNKNOWN_ACCOUNT", "no account 'bob'"));
    Map<String, Object> unsigned = PeerServer.unsigned("9", "alice");
    unsigned.put("refusal", "COUNTS_DIFFER");
    unsigned.put("deviceUpBytes", "1200");
    unsigned.put("deviceDownBytes", "2500000");
    unsigned.put("snaptBytes", "3001200");
    unsigned.put("differenceBytes", "500000");
    peer.unsigned.add(unsigned);
    peer.unsigned.add(PeerServer.unsigned("10", "alice"));
    peer.counts.add(
        Map.of("snapt", "snapt-1", "what", "HELD", "reason", "UNKNOWN_ACCOUNT", "reports", 1));
    olga = Visitor.operator();
  }

  @Test
  void heldReportsUnsignedChargesAndCountsAreListedInPlainWords() {
    String page = olga.get("/reports").body();
    assertThat(Visitor.text(page, "count-row"))
        .isEqualTo("snapt-1 held UNKNOWN_ACCOUNT The account does not exist. 1");
    assertThat(Visitor.text(page, "held-row"))
        .contains("no account &#39;bob&#39;", "not signed by the device", "35.5 den");
    assertThat(Visitor.text(page, "unsigned-row"))
        .contains("It counted less: 1.20 kB up, 2.50 MB down in the session so far.");
    assertThat(page).contains("/reports/held/7/release", "/reports/unsigned/9/void");
  }

  @Test
  void whatBothEndsHaveCountedIsShownWhereTheOperatorDecides() {
    assertThat(Visitor.text(olga.get("/reports").body(), "unsigned-difference"))
        .isEqualTo("The SNAPT counted 3.00 MB in both directions: 500 kB more.");
    String decision = olga.get("/reports/unsigned/9/void").body();
    assertThat(Visitor.text(decision, "decision-device")).isEqualTo("1.20 kB up, 2.50 MB down");
    assertThat(Visitor.text(decision, "decision-snapt")).isEqualTo("3.00 MB");
    assertThat(Visitor.text(decision, "decision-difference")).isEqualTo("500 kB");
    assertThat(olga.get("/reports/unsigned/10/void").body()).doesNotContain("decision-device");
  }

  @Test
  void theFilterIsKeptInThePage() {
    assertThat(olga.get("/reports?snapt=snapt-1&reason=CONFLICT").body())
        .contains("value=\"snapt-1\"", "value=\"CONFLICT\"", "Show all");
  }

  @Test
  void discrepantIntervalsAreFoundByTheDevicesReasonAlsoBeforeTheyAreDue() {
    Map<String, Object> early = PeerServer.unsigned("10", "alice");
    early.put("refusal", "COUNTS_DIFFER");
    early.put("deviceUpBytes", "1");
    early.put("deviceDownBytes", "2");
    early.put("due", false);
    peer.unsigned.add(early);
    peer.unsigned.add(PeerServer.unsigned("11", "alice"));
    String page = olga.get("/reports?refusal=COUNTS_DIFFER").body();
    assertThat(peer.asked)
        .anyMatch(address -> address.matches(".*unsigned.*refusal=COUNTS_DIFFER&due=false"));
    assertThat(page)
        .contains("data-unsigned-id=\"9\"", "/reports/unsigned/9/void", "Show all")
        .contains("data-unsigned-id=\"10\"", "to be decided from 2026-11-21 10:01:00 on")
        .contains("<option value=\"COUNTS_DIFFER\" selected=\"selected\">")
        .doesNotContain("/reports/unsigned/10/void", "data-unsigned-id=\"11\"");
    assertThat(olga.get("/reports?refusal=anything").body())
        .contains("data-unsigned-id=\"11\"")
        .doesNotContain("Show all");
    assertThat(olga.get("/operator").body()).contains("/reports?refusal=COUNTS_DIFFER#unsigned");
  }

  private HttpResponse<String> decide(String path, String reason) {
    return decide(path, olga.get(path).body(), reason);
  }

  private HttpResponse<String> decide(String path, String form, String reason) {
    return olga.post(
        path,
        Map.of(
            "reason",
            reason,
            "_csrf",
            Visitor.hidden(form, "_csrf"),
            "idempotencyKey",
            Visitor.hidden(form, "idempotencyKey")));
  }

  @ParameterizedTest
  @CsvSource({
    "/reports/held/7/release, release 7, released and charged",
    "/reports/held/7/discard, discard 7, discarded",
    "/reports/unsigned/9/accept, accept 9, accepted",
    "/reports/unsigned/9/void, void 9, booked back"
  })
  void aDecisionIsConfirmedOnAPageOfItsOwnAndCarriedOutOnce(
      String path, String decision, String told) {
    String confirmation = olga.get(path).body();
    assertThat(Visitor.text(confirmation, "decision-charge")).isEqualTo("35.5 den");
    assertThat(confirmation).contains("title=\"35.541158\u00a0den\"");
    assertThat(peer.decisions).isEmpty();
    String form = confirmation;
    assertThat(Visitor.location(decide(path, form, "ticket 7"))).endsWith("/reports");
    assertThat(peer.decisions).containsExactly(decision + ": ticket 7");
    assertThat(peer.decisionKeys)
        .as("sent again after a lost answer, it is the same decision")
        .containsExactly(Visitor.hidden(form, "idempotencyKey"));
    assertThat(Visitor.text(olga.get("/reports").body(), "done")).contains(told);
  }

  @Test
  void aDecisionNeedsAReason() {
    assertThat(Visitor.location(decide("/reports/held/7/discard", "  ")))
        .endsWith("/reports/held/7/discard");
    assertThat(olga.get("/reports/held/7/discard").body())
        .contains("data-problem=\"decision.problem.reason\"");
    assertThat(peer.decisions).isEmpty();
  }

  @Test
  void aReportThatIsStillHeldAndADecisionThatIsRefusedAreSaidInBillingsWords() {
    peer.outcome = "held";
    decide("/reports/held/7/release", "x");
    assertThat(Visitor.text(olga.get("/reports").body(), "problem"))
        .startsWith("The report is still held.")
        .endsWith("no account &#39;bob&#39;");
    peer.refusesDecisions = true;
    decide("/reports/unsigned/9/void", "x");
    assertThat(Visitor.text(olga.get("/reports").body(), "problem"))
        .contains("may be decided from 2026-11-21");
  }

  @Test
  void aDiscrepancyIsInvestigatedAndClosedWithANote() {
    peer.work.discrepancies.add(OperatorPeer.discrepancy("4", "open"));
    String page = olga.get("/reports").body();
    assertThat(Visitor.text(page, "discrepancy-state")).isEqualTo("Open");
    assertThat(page).contains("SNAPT 5", "device 4", "One interval", "we ask the owner");
    for (String action : List.of("investigate", "close")) {
      olga.post(
          "/reports/discrepancies/4",
          Map.of("_csrf", Visitor.hidden(page, "_csrf"), "reason", "old agent", "action", action));
      assertThat(olga.get("/reports").body()).contains("data-testid=\"done\"");
    }
    assertThat(peer.work.changes)
        .containsExactly(
            "reports/discrepancies/4/investigate {\"reason\":\"old agent\"}",
            "reports/discrepancies/4/close {\"reason\":\"old agent\"}");
  }

  @Test
  void reportsOfDevicesAloneAreListedWithTheirStates() {
    peer.work.deviceReports.add(OperatorPeer.deviceReport("9", "alice", "final_provisional"));
    String page = olga.get("/reports").body();
    assertThat(Visitor.text(page, "device-report-state"))
        .isEqualTo("Charged until the relay&#39;s report comes");
    Visitor alice = Visitor.alice();
    assertThat(Visitor.text(alice.get("/accounts/alice/charges").body(), "device-reports-expected"))
        .contains("35.5");
  }

  @Test
  void olderDiscrepanciesAndReportsOfDevicesAreBehindALink() {
    peer.work.discrepancies.add(OperatorPeer.discrepancy("5", "open"));
    peer.work.discrepancies.add(OperatorPeer.discrepancy("4", "open"));
    peer.work.deviceReports.add(OperatorPeer.deviceReport("9", "alice", "uncharged"));
    peer.work.deviceReports.add(OperatorPeer.deviceReport("8", "bob", "provisional"));
    String page = olga.get("/reports").body();
    assertThat(page)
        .contains("data-discrepancy-id=\"5\"")
        .doesNotContain("data-discrepancy-id=\"4\"");
    String older = older(page, "discrepancies-older");
    assertThat(olga.get(older).body())
        .contains("data-discrepancy-id=\"4\"")
        .doesNotContain("data-discrepancy-id=\"5\"", "discrepancies-older");
    page = olga.get(older(page, "device-reports-older")).body();
    assertThat(Visitor.text(page, "device-report-state")).isEqualTo("Not charged yet");
    assertThat(page).doesNotContain("device-reports-older");
  }

  private static String older(String page, String hook) {
    return Visitor.first(page, "data-testid=\"" + hook + "\" href=\"([^\"#]*)#")
        .replace("&amp;", "&");
  }

  @Test
  void callsOfOtherNodesAreShownWithTheirSecondsAndTheirPrice() {
    peer.work.calls.add(OperatorPeer.call("refusal"));
    String page = Visitor.alice().get("/accounts/alice/charges").body();
    assertThat(Visitor.text(page, "call-length")).contains("28");
    assertThat(Visitor.text(page, "call-charge")).isEqualTo("280 mden");
    assertThat(Visitor.text(page, "call-state")).isEqualTo("ended: the credit paid no more");
  }

  @Test
  void sessionsInAccessNetworksStandBesideWhatRelaysHaveReported() {
    peer.work.accessSessions.add(OperatorPeer.accessSession("02-00-00-00-00-01", "above"));
    String page = Visitor.alice().get("/accounts/alice/charges").body();
    assertThat(Visitor.text(page, "access-network")).isEqualTo("wifi");
    assertThat(Visitor.text(page, "access-bytes")).startsWith("3.00");
    assertThat(Visitor.text(page, "access-tunnel")).startsWith("5.00");
    assertThat(Visitor.text(page, "access-comparison")).startsWith("more was reported");
  }

  @Test
  void nobodyButAnOperatorWithTheFormsTokenDecides() {
    Visitor alice = Visitor.alice();
    assertThat(alice.get("/reports/held/7/release").statusCode()).isEqualTo(403);
    assertThat(olga.post("/reports/held/7/release", Map.of("reason", "x")).statusCode())
        .isEqualTo(403);
    assertThat(olga.get("/reports/held/7/burn").statusCode()).isEqualTo(404);
    assertThat(olga.get("/reports/held/8/release").statusCode()).isEqualTo(404);
    assertThat(peer.decisions).isEmpty();
  }

  @Test
  void refusalsOfTheBridgeAreShownPerSnapt() {
    Map<String, Object> snapt = PeerServer.snapt("snapt-1", 1);
    snapt.put("reportsRefused", Map.of("TOKEN_FORGED", 3));
    peer.snapts.add(snapt);
    assertThat(Visitor.text(olga.get("/snapts").body(), "snapt-reports-refused"))
        .isEqualTo("TOKEN_FORGED 3");
  }
}
