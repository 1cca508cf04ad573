package io.viaduct.webgui.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.BroughtMoneyPeer;
import io.viaduct.webgui.OperatorPeer;
import io.viaduct.webgui.PeerServer;
import io.viaduct.webgui.RunningWebgui;
import io.viaduct.webgui.Visitor;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.json.JsonMapper;

/// Shows what strangers write (names, references, reasons, words of SNAPTs) on every page.
class EscapingTest {
  private static final String ATTACK =
      "\"'><script>alert(1)</script><img src=x onerror=alert(2)>${7*7}__${7*7}__";
  private static final String QUOTED = URLEncoder.encode(ATTACK, StandardCharsets.UTF_8);

  /// Addresses that are no pages: a stream of events (`LiveTest` attacks it) and files.
  private static final Set<String> NO_PAGES =
      Set.of(
          "/accounts/{account}/events",
          "/accounts/{account}/statement.csv",
          "/accounts/{account}/statement.pdf",
          "/accounts/{account}/statement.jsonl",
          "/statement-roots.json",
          "/accounts/{account}/charges.csv",
          "/accounts/{account}/usage.csv");

  private PeerServer peer;

  @BeforeEach
  void hostilePeer() {
    peer = RunningWebgui.freshPeer();
    peer.users.put("alice", new PeerServer.User("wonder land", "user", ATTACK));
    peer.users.put(ATTACK, new PeerServer.User("x", "user", ATTACK));
    peer.charges.add(
        hostile(
            PeerServer.charge("c1", "alice"),
            List.of(
                "application",
                "snapt",
                "session",
                "protocol",
                "remoteAddress",
                "limitedBy",
                "discountBase",
                "discountBeneficiary",
                "brokenPromise",
                "device",
                "link",
                "state",
                "serviceClass",
                "delaySource",
                "tariffVersion")));
    peer.snapts.add(
        hostile(
            PeerServer.snapt("snapt-1", 3),
            List.of("id", "host", "region", "owner", "version", "state", "duplicateFrom")));
    peer.snapts.getFirst().put("duplicatesRefused", 1);
    peer.snapts.getFirst().put("reportsRefused", Map.of(ATTACK, 2));
    List<String> ofReports = List.of("snapt", "session", "account", "reason", "detail");
    peer.refusedReports.add(hostile(new HashMap<>(), ofReports));
    peer.gaps.add(
        hostile(new HashMap<>(Map.of("from", 1, "to", 2)), List.of("snapt", "session", "account")));
    peer.held.add(hostile(PeerServer.held("7", "alice", "", ""), ofReports));
    peer.unsigned.add(
        hostile(
            PeerServer.unsigned("9", "alice"), List.of("snapt", "session", "account", "refusal")));
    peer.counts.add(
        hostile(new HashMap<>(Map.of("what", "HELD", "reports", 3)), List.of("snapt", "reason")));
    peer.topUps.add(
        hostile(PeerServer.payment(null, ATTACK, null), List.of("createdBy", "transaction")));
    peer.credits.add(
        hostile(PeerServer.payment("refund", ATTACK, ATTACK), List.of("createdBy", "transaction")));
    peer.capCredits.add(
        hostile(
            PeerServer.capCredit(ATTACK, "5000000", "8500000"), List.of("transaction", "span")));
    peer.money.batches.add(
        hostile(BroughtMoneyPeer.batch("12", 3, "5", 3), List.of("id", "note", "createdBy")));
    Map<String, Object> payment = BroughtMoneyPeer.payment("started", "5");
    payment.put("payUrl", "javascript:alert(1)//" + ATTACK);
    peer.money.payments.add(payment);
    arrangeWork(peer.work);
    peer.explanation =
        peer.explanation.replace(
            "\"8 \u00b7 bytes / time\"", JsonMapper.shared().writeValueAsString(ATTACK));
    peer.payment.put("passedBy", ATTACK);
    Map<String, Object> sums = hostile(PeerServer.sums("2026-11-20", "7", "5"), List.of());
    sums.put("application", ATTACK);
    sums.put("serviceClass", ATTACK);
    sums.put("device", ATTACK);
    sums.put("day", ATTACK);
    peer.running.add(
        hostile(
            PeerServer.running("web", "HT_HD"),
            List.of("snapt", "session", "device", "application", "serviceClass")));
    peer.running.getFirst().put("links", List.of(ATTACK));
    peer.funds.put("state", ATTACK);
    peer.usage.put("usage", List.of(sums));
  }

  private static void arrangeWork(OperatorPeer work) {
    work.rows.put(
        "alice", Map.of("displayName", ATTACK, "state", ATTACK, "credit", ATTACK, "role", ATTACK));
    work.block = Map.of("reason", ATTACK, "decidedBy", ATTACK, "decidedAt", "2026-11-20T10:00:00Z");
    work.reservations.add(
        hostile(
            OperatorPeer.reservation("alice", true),
            List.of("account", "snapt", "session", "application", "serviceClass")));
    work.notices.add(
        hostile(OperatorPeer.notice("low", "due"), List.of("state", "delivery", "lastError")));
    work.wallets.add(hostile(OperatorPeer.wallet("grant", ATTACK), List.of("kind")));
    work.tariffs.forEach(tariff -> hostile(tariff, List.of("createdBy", "state")));
    Map<String, Object> contact = new HashMap<>(Map.of("expiresAt", "2026-11-20T11:00:00Z"));
    contact.put("ccf", List.of(ATTACK));
    contact.put("ecf", List.of(ATTACK));
    work.registrations.add(hostile(contact, List.of("user", "contact", "source", "scscf", "icid")));
    work.sessions.add(hostile(new HashMap<>(), List.of("account", "snapt", "session")));
    work.discrepancies.add(
        hostile(
            OperatorPeer.discrepancy("4", ATTACK),
            List.of("snapt", "session", "account", "basis")));
    work.calls.add(OperatorPeer.call(ATTACK));
    work.accessSessions.add(OperatorPeer.accessSession(ATTACK, ATTACK));
    work.deviceReports.add(
        hostile(OperatorPeer.deviceReport("4", ATTACK, ATTACK), List.of("snapt", "session")));
    work.reratings.add(hostile(OperatorPeer.rerating(ATTACK, ATTACK), List.of("account")));
    work.trials.clear();
    work.trials.add(
        hostile(
            work.trialRun("7", ATTACK, "failed"),
            List.of("account", "serviceClass", "state", "failure", "requestedBy")));
    work.begin("5", ATTACK);
    work.refusal = null;
    work.differences.add(
        hostile(new HashMap<>(Map.of("knot", 1)), List.of("place", "before", "after")));
  }

  private static Map<String, Object> hostile(Map<String, Object> row, List<String> texts) {
    texts.forEach(text -> row.put(text, ATTACK));
    return row;
  }

  /// Addresses of each page, by the pattern that the pages map it with.
  private static Map<String, List<String>> operatorsVisits() {
    Map<String, List<String>> visits = new LinkedHashMap<>();
    visits.put("/", List.of("/"));
    visits.put("/login", List.of("/login?problem=" + QUOTED));
    visits.put("/login/code", List.of("/login/code"));
    visits.put("/reset", List.of("/reset?token=" + QUOTED));
    visits.put(
        "/accounts",
        List.of(
            "/accounts",
            "/accounts?search=%1$s&state=%1$s&sort=%1$s&cursor=%1$s".formatted(QUOTED)));
    visits.put("/accounts/{account}", List.of("/accounts/alice"));
    visits.put("/accounts/{account}/user", List.of("/accounts/alice/user"));
    visits.put(
        "/accounts/{account}/charges",
        List.of(
            "/accounts/alice/charges",
            "/accounts/alice/charges?by=device",
            "/accounts/alice/charges?device=%1$s&by=%1$s&application=%1$s&snapt=%1$s&from=%1$s&class=%1$s&state=%1$s"
                .formatted(QUOTED)));
    visits.put(
        "/accounts/{account}/savings",
        List.of("/accounts/alice/savings", "/accounts/alice/savings?month=" + QUOTED));
    visits.put(
        "/accounts/{account}/usage",
        List.of(
            "/accounts/alice/usage?by=application,class",
            "/accounts/alice/usage?from=%1$s&to=%1$s&by=%1$s".formatted(QUOTED)));
    visits.put("/accounts/{account}/top-ups", List.of("/accounts/alice/top-ups"));
    visits.put("/accounts/{account}/credits", List.of("/accounts/alice/credits"));
    visits.put("/accounts/{account}/top-up", List.of("/accounts/alice/top-up?cursor=" + QUOTED));
    visits.put(
        "/accounts/{account}/statement", List.of("/accounts/alice/statement?month=" + QUOTED));
    visits.put("/accounts/{account}/limits", List.of("/accounts/alice/limits?cursor=" + QUOTED));
    visits.put("/accounts/{account}/tokens", List.of("/accounts/alice/tokens"));
    visits.put("/accounts/{account}/second-factor", List.of("/accounts/alice/second-factor"));
    visits.put("/cdr-files", List.of("/cdr-files", "/cdr-files?cursor=" + QUOTED));
    visits.put("/cdr-files/{sequence}/content", List.of("/cdr-files/17/content"));
    visits.put("/accounts/{account}/webhooks", List.of("/accounts/alice/webhooks"));
    visits.put("/accounts/{account}/webhooks/{webhook}", List.of("/accounts/alice/webhooks/4"));
    visits.put("/owners/{owner}/fees", List.of("/owners/acme/fees"));
    visits.put("/audit", List.of("/audit", "/audit?account=%1$s&about=%1$s".formatted(QUOTED)));
    visits.put("/audit.csv", List.of("/audit.csv"));
    visits.put("/reratings", List.of("/reratings"));
    visits.put("/vouchers", List.of("/vouchers", "/vouchers?cursor=" + QUOTED));
    visits.put("/charges/{id}", List.of("/charges/c1"));
    visits.put("/accounts/{account}/credit", List.of("/accounts/alice/credit"));
    visits.put("/credit", List.of("/credit"));
    visits.put("/operator", List.of("/operator"));
    visits.put("/ledger", List.of("/ledger"));
    visits.put("/ledger/runs", List.of("/ledger/runs"));
    visits.put(
        "/registrations",
        List.of("/registrations", "/registrations?search=%1$s&cursor=%1$s".formatted(QUOTED)));
    visits.put("/tariffs", List.of("/tariffs"));
    visits.put("/tariffs/{version:\\d{1,9}}", List.of("/tariffs/2"));
    visits.put("/tariffs/diff", List.of("/tariffs/diff?to=2"));
    visits.put("/tariffs/{version:\\d{1,9}}/rollback", List.of("/tariffs/1/rollback"));
    visits.put("/tariffs/drafts/{id}", List.of("/tariffs/drafts/5"));
    visits.put("/tariffs/drafts/{id}/simulate", List.of("/tariffs/drafts/5/simulate"));
    visits.put("/tariffs/trials", List.of("/tariffs/trials"));
    visits.put("/tariffs/trials/{id:\\d{1,18}}", List.of("/tariffs/trials/7"));
    visits.put("/tariffs/drafts/{id}/diff", List.of("/tariffs/drafts/5/diff?from=1"));
    visits.put("/tariffs/drafts/{id}/publish", List.of("/tariffs/drafts/5/publish"));
    visits.put("/snapts", List.of("/snapts"));
    visits.put("/snapts/table", List.of("/snapts/table"));
    visits.put(
        "/reports",
        List.of(
            "/reports",
            "/reports?snapt=%1$s&account=%1$s&reason=%1$s&refusal=%1$s&cursor=%1$s"
                .formatted(QUOTED)));
    visits.put(
        "/reports/{kind:held|unsigned}/{id}/{action:release|discard|accept|void}",
        List.of("/reports/held/7/release", "/reports/unsigned/9/void"));
    return visits;
  }

  @Test
  void textOfOthersIsShownAndRunOnNoPage() {
    Visitor olga = Visitor.operator();
    operatorsVisits().values().stream()
        .flatMap(List::stream)
        .forEach(address -> harmless(olga, address));
    Visitor alice = Visitor.alice();
    for (String own :
        List.of(
            "/",
            "/accounts/alice/charges",
            "/accounts/alice/usage?by=application",
            "/charges/c1")) {
      assertThat(harmless(alice, own)).as(own).contains("&lt;script&gt;");
    }
    for (String shown :
        List.of(
            "/accounts",
            "/accounts/alice",
            "/accounts/alice/top-ups",
            "/accounts/alice/credits",
            "/snapts",
            "/snapts/table",
            "/reports",
            "/vouchers",
            "/reratings",
            "/reports/held/7/release",
            "/reports/unsigned/9/void")) {
      assertThat(harmless(olga, shown)).as(shown).contains("&lt;script&gt;");
    }
  }

  private static String harmless(Visitor visitor, String address) {
    String page = visitor.get(address).body();
    assertThat(page)
        .as(address)
        .doesNotContain("<script>alert", "<img src=x", "${49}", "__49__", "javascript:");
    return page;
  }

  @Test
  void wordsOfARefusalAreNotRunEither() {
    peer.refusedWith = ATTACK;
    Visitor olga = Visitor.operator();
    String page = olga.get("/reports/held/7/release").body();
    olga.post(
        "/reports/held/7/release",
        Map.of(
            "_csrf",
            Visitor.hidden(page, "_csrf"),
            "idempotencyKey",
            Visitor.hidden(page, "idempotencyKey"),
            "reason",
            "r"));
    assertThat(harmless(olga, "/reports")).contains("data-testid=\"problem\"", "&lt;script&gt;");
  }

  @Test
  void everyPageThatIsMappedIsVisited() {
    Set<String> mapped =
        RunningWebgui.part(RequestMappingHandlerMapping.class).getHandlerMethods().keySet().stream()
            .filter(
                mapping -> mapping.getMethodsCondition().getMethods().contains(RequestMethod.GET))
            .flatMap(mapping -> mapping.getPatternValues().stream())
            .collect(Collectors.toCollection(TreeSet::new));
    mapped.removeAll(NO_PAGES);
    assertThat(operatorsVisits().keySet()).containsExactlyInAnyOrderElementsOf(mapped);
  }
}
