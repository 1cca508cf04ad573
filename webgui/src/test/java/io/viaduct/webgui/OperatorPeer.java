package io.viaduct.webgui;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// The part of the peer that only operators ask: accounts with their credit, tariffs and drafts.
/// Billing's own tests cover what it decides; here a test sets the decisions.
public final class OperatorPeer {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String ANY = "2026-11-20T10:00:00Z";

  private final PeerServer peer;

  /// Requests of pages, as method, path and query.
  public final List<String> asked = new CopyOnWriteArrayList<>();

  /// Bodies of what was changed, after their path.
  public final List<String> changes = new CopyOnWriteArrayList<>();

  /// Fields that replace those of each account's row in the list.
  public final Map<String, Map<String, Object>> rows = new ConcurrentHashMap<>();

  public final List<Map<String, Object>> reservations = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> notices = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> wallets = new CopyOnWriteArrayList<>();
  private volatile @Nullable String allowance;
  public final List<Map<String, Object>> tariffs = new CopyOnWriteArrayList<>();
  public final Map<String, ObjectNode> drafts = new ConcurrentHashMap<>();
  public final List<Map<String, Object>> differences = new CopyOnWriteArrayList<>();

  /// The refusal of a document; null if all are accepted.
  public volatile @Nullable Map<String, Object> refusal;

  /// Version of the credit, and of the list of tariffs.
  public volatile int version;

  /// Version of each draft.
  public volatile int draftVersion;

  /// True if a draft cannot be deleted.
  public volatile boolean isFailingToDelete;

  public volatile @Nullable Map<String, Object> block;
  public volatile boolean trialIsComplete;
  public volatile boolean isVerifying;
  public final List<Map<String, Object>> sessions = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> discrepancies = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> deviceReports = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> calls = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> accessSessions = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> reratings = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> trials = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> registrations = new CopyOnWriteArrayList<>();
  private volatile String next = "";

  private static final String CDR_FILE =
      "{\"sequence\":%1$d,\"name\":\"billing-1_-_%1$d.20261120_-_1000+0000.csv\",\"format\":\"CSV\",\"cause\":2,"
          + "\"records\":120,\"openedAt\":\"2026-11-20T10:00:00Z\",\"closedAt\":\"2026-11-20T10:15:00Z\","
          + "\"bytes\":\"23456\",\"sha256\":\"5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef\","
          + "\"writtenAt\":\"2026-11-20T10:15:01Z\"}";

  OperatorPeer(PeerServer peer) {
    this.peer = peer;
  }

  void reset() {
    for (List<?> list :
        List.of(asked, changes, reservations, notices, wallets, tariffs, differences)) {
      list.clear();
    }
    sessions.clear();
    reratings.clear();
    trials.clear();
    discrepancies.clear();
    deviceReports.clear();
    calls.clear();
    accessSessions.clear();
    registrations.clear();
    isVerifying = false;
    rows.clear();
    drafts.clear();
    refusal = null;
    version = 7;
    draftVersion = 7;
    isFailingToDelete = false;
    block = null;
    next = "";
    trialIsComplete = true;
    tariffs.add(tariff(1, "past"));
    tariffs.add(tariff(2, "in-force"));
    trials.add(trialRun("7", "summer", "done"));
  }

  /// The document of a new installation.
  public static JsonNode document() {
    try (InputStream in =
        Objects.requireNonNull(OperatorPeer.class.getResourceAsStream("tariff.json"))) {
      return JSON.readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Map<String, Object> tariff(int version, String state) {
    Map<String, Object> tariff = new LinkedHashMap<>();
    tariff.put("version", version);
    tariff.put("effectiveFrom", version == 1 ? "1970-01-01T00:00:00Z" : ANY);
    tariff.put("validUntil", state.equals("past") ? ANY : null);
    tariff.put("state", state);
    tariff.put("createdBy", version == 1 ? "installation" : "olga");
    tariff.put("tariff", document());
    return tariff;
  }

  public void setNext(String cursor) {
    next = cursor;
  }

  /// Answers a request of an operator, if it is one of these.
  boolean answers(HttpExchange exchange, List<String> parts) throws IOException {
    String method = exchange.getRequestMethod();
    String path = String.join("/", parts);
    boolean isAnswered =
        switch (parts.getFirst()) {
          case "accounts" -> accounts(exchange, method, parts);
          case "audit" -> {
            answer(
                exchange,
                Map.of(
                    "entries",
                    List.of(
                        auditEntry("changeAccount", 200, List.of(CHANGE)),
                        auditEntry("topUp", 400, List.of()),
                        auditEntry("grant", null, List.of()))));
            yield true;
          }
          case "cdr-files" -> {
            if (path.endsWith("/content")) {
              peer.send(exchange, 200, "the records");
            } else if (parts.size() == 2) {
              peer.send(exchange, 200, CDR_FILE.formatted(17));
            } else {
              peer.send(
                  exchange,
                  200,
                  "{\"waiting\":3,\"files\":[%s,%s],\"next\":\"older\"}"
                      .formatted(
                          CDR_FILE
                              .formatted(18)
                              .replaceAll("(bytes|sha256|writtenAt)\":[^,}]*", "$1\":null"),
                          CDR_FILE.formatted(17)));
            }
            yield true;
          }
          case "audit.csv" -> {
            peer.send(exchange, 200, "id,at\r\n1,2026-11-20T10:00:00Z\r\n");
            yield true;
          }
          case "overview" -> {
            answer(exchange, attention());
            yield true;
          }
          case "ledger" -> {
            isVerifying |= method.equals("POST");
            answer(exchange, Map.of("runs", runs()));
            yield true;
          }
          case "credit" -> {
            if (parts.size() == 2) {
              answer(exchange, Map.of("sessions", sessions));
              yield true;
            }
            peer.send(exchange, 200, JSON.writeValueAsString(overview()));
            yield true;
          }
          case "tariffs" -> tariffs(exchange, method, parts);
          case "reports" -> discrepancies(exchange, parts);
          case "reratings" -> reratings(exchange, method, parts);
          case "tariff-trials" -> trials(exchange, method, parts);
          case "tariff-drafts" -> drafts(exchange, method, parts);
          default -> false;
        };
    if (isAnswered) {
      asked.add(method + " " + path + "?" + exchange.getRequestURI().getQuery());
    }
    return isAnswered;
  }

  private static final Map<String, Object> CHANGE =
      Map.of(
          "table",
          "account",
          "action",
          "update",
          "before",
          Map.of("id", "alice", "state", "active"),
          "after",
          Map.of("id", "alice", "state", "suspended"));

  private static Map<String, Object> auditEntry(
      String operation, @Nullable Integer status, List<Map<String, Object>> changes) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("id", "5");
    entry.put("at", ANY);
    entry.put("account", "olga");
    entry.put("role", "operator");
    entry.put("operation", operation);
    entry.put("method", "PATCH");
    entry.put("path", "/api/v1/accounts/alice");
    entry.put("requestId", "ticket-17");
    entry.put("status", status);
    entry.put("changes", changes);
    return entry;
  }

  private boolean discrepancies(HttpExchange exchange, List<String> parts) throws IOException {
    if (parts.size() == 2 && parts.get(1).equals("devices")) {
      page(exchange, "deviceReports", deviceReports);
      return true;
    }
    if (parts.size() < 2 || !parts.get(1).equals("discrepancies")) {
      return false;
    }
    if (parts.size() > 2) {
      changes.add(
          String.join("/", parts)
              + " "
              + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
      answer(exchange, discrepancy(parts.get(2), "investigated"));
    } else {
      page(exchange, "discrepancies", discrepancies);
    }
    return true;
  }

  // The newest row, then all others.
  private void page(HttpExchange exchange, String name, List<Map<String, Object>> rows)
      throws IOException {
    boolean isFirst = !String.valueOf(exchange.getRequestURI().getQuery()).contains("cursor=older");
    boolean hasMore = isFirst && rows.size() > 1;
    Map<String, Object> page = new LinkedHashMap<>();
    page.put(name, hasMore ? rows.subList(0, 1) : isFirst ? rows : rows.subList(1, rows.size()));
    page.put("next", hasMore ? "older" : null);
    answer(exchange, page);
  }

  /// A report of a device.
  public static Map<String, Object> deviceReport(String id, String account, String state) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("id", id);
    report.put("snapt", "snapt-1");
    report.put("session", "s");
    report.put("account", account);
    report.put("start", ANY);
    report.put("bytes", "4000000");
    report.put("expectedMicrodenarii", "35541158");
    report.put("state", state);
    return report;
  }

  /// A session in an access network.
  ///
  /// @param device device as the network calls it
  public static Map<String, Object> accessSession(String device, String comparison) {
    Map<String, Object> session = new LinkedHashMap<>();
    session.put("id", "4");
    session.put("network", "wifi");
    session.put("device", device);
    session.put("startedAt", ANY);
    session.put("heardAt", ANY);
    session.put("upBytes", "1000000");
    session.put("downBytes", "2000000");
    session.put("tunnelBytes", "5000000");
    session.put("comparison", comparison);
    return session;
  }

  /// A call of another node.
  public static Map<String, Object> call(String state) {
    Map<String, Object> call = new LinkedHashMap<>();
    call.put("id", "3");
    call.put("node", "scscf.ims.test");
    call.put("startedAt", ANY);
    call.put("seconds", "28");
    call.put("perSecondMicrodenarii", "10000");
    call.put("chargeMicrodenarii", "280000");
    call.put("state", state);
    return call;
  }

  /// A discrepancy between both ends.
  public static Map<String, Object> discrepancy(String id, String state) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("id", id);
    found.put("snapt", "snapt-1");
    found.put("session", "s");
    found.put("account", "alice");
    found.put("start", ANY);
    found.put("basis", "interval");
    found.put("snaptBytes", "5000000");
    found.put("deviceBytes", "4000000");
    found.put("state", state);
    found.put(
        "notes",
        List.of(Map.of("state", state, "note", "we ask the owner", "operator", "olga", "at", ANY)));
    return found;
  }

  private boolean reratings(HttpExchange exchange, String method, List<String> parts)
      throws IOException {
    if (method.equals("GET")) {
      answer(exchange, Map.of("reratings", reratings));
    } else if (parts.getLast().equals("preview")) {
      changes.add("preview " + JSON.readTree(exchange.getRequestBody()));
      answer(exchange, trial());
    } else {
      changes.add(
          String.join("/", parts)
              + " "
              + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
      answer(exchange, rerating(parts.get(1), "running"));
    }
    return true;
  }

  private boolean trials(HttpExchange exchange, String method, List<String> parts)
      throws IOException {
    if (parts.size() == 1 && method.equals("GET")) {
      answer(exchange, Map.of("runs", trials));
    } else if (parts.size() == 1) {
      JsonNode wanted = JSON.readTree(exchange.getRequestBody());
      changes.add("trial " + wanted);
      trials.add(trialRun("7", wanted.path("name").asString("2"), "running"));
      peer.send(exchange, 202, JSON.writeValueAsString(trials.getLast()));
    } else {
      Map<String, Object> run =
          trials.stream()
              .filter(one -> one.get("id").equals(parts.get(1)))
              .findFirst()
              .orElse(null);
      if (run != null && parts.getLast().equals("stop")) {
        run.put("state", "stopped");
        run.put("trial", trial());
      }
      answerOr404(exchange, run);
    }
    return true;
  }

  /// A trial in the background.
  public Map<String, Object> trialRun(String id, String name, String state) {
    Map<String, Object> run = new LinkedHashMap<>();
    run.put("id", id);
    run.put("requestedBy", "olga");
    run.put("name", name);
    run.put("from", "2026-11-01T00:00:00Z");
    run.put("to", "2026-11-08T00:00:00Z");
    run.put("account", null);
    run.put("serviceClass", "HT_LD");
    run.put("state", state);
    run.put("startedAt", ANY);
    run.put("coveredTo", "2026-11-03T00:00:00Z");
    run.put("finishedAt", state.equals("running") ? null : ANY);
    run.put("failure", state.equals("failed") ? "cut off" : "");
    run.put("trial", state.equals("done") ? trial() : null);
    return run;
  }

  /// A run of re-rating.
  public static Map<String, Object> rerating(String id, String state) {
    Map<String, Object> run = new LinkedHashMap<>();
    run.put("id", id);
    run.put("from", ANY);
    run.put("to", ANY);
    run.put("account", "alice");
    run.put("serviceClass", null);
    run.put("tariffVersion", 2);
    run.put("reason", "the fee was wrong");
    run.put("createdBy", "olga");
    run.put("createdAt", ANY);
    run.put("state", state);
    run.put("waiting", 3);
    run.put("changed", 12);
    run.put("same", 5);
    run.put("refunded", 1);
    run.put("voided", 0);
    run.put("difference", Map.of("netMicrodenarii", "-1500000"));
    run.put("keptIntervals", List.of("snapt-1/s/1/2"));
    return run;
  }

  private Map<String, Object> attention() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put(
        "accounts",
        Map.of("suspended", 1, "blocked", 2, "low", 3, "exhausted", 4, "belowZero", 5, "cut", 0));
    Map<String, Object> waiting = new LinkedHashMap<>();
    waiting.put("held", peer.held.size());
    waiting.put("discrepant", 1);
    waiting.put("unsigned", peer.unsigned.size());
    waiting.put("unsettled", 0);
    waiting.put("lagSeconds", 1.25);
    waiting.put("latestReportAt", ANY);
    all.put("waiting", waiting);
    all.put("verification", runs().getLast());
    List<Map<String, Object>> hours = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      hours.add(
          Map.of(
              "hour", "2026-11-20T%02d:00:00Z".formatted(i),
              "charges", 100 + i,
              "preBytes", Long.toString(1_000_000_000L + i * 250_000_000L),
              "postBytes", Long.toString(700_000_000L + i * 150_000_000L),
              "netMicrodenarii", Long.toString(25_000_000L + i * 3_000_000L)));
    }
    all.put("hours", hours);
    return all;
  }

  private List<Map<String, Object>> runs() {
    List<Map<String, Object>> runs = new ArrayList<>();
    if (isVerifying) {
      Map<String, Object> running = new LinkedHashMap<>();
      running.put("id", "9");
      running.put("requestedBy", "olga");
      running.put("startedAt", ANY);
      running.put("done", 3);
      running.put("total", 17);
      running.put("finishedAt", null);
      running.put("failure", "");
      running.put("holds", null);
      running.put("sums", List.of());
      running.put("checks", List.of());
      runs.add(running);
    }
    Map<String, Object> run = new LinkedHashMap<>();
    run.put("id", "8");
    run.put("requestedBy", null);
    run.put("startedAt", ANY);
    run.put("done", 17);
    run.put("total", 17);
    run.put("finishedAt", ANY);
    run.put("failure", "");
    run.put("holds", false);
    run.put("transactions", 314);
    run.put("postings", 1234);
    run.put(
        "sums",
        List.of(
            Map.of("name", "USER", "accounts", 3, "microdenarii", "12345678"),
            Map.of("name", "ISSUANCE", "accounts", 1, "microdenarii", "-12345678")));
    run.put(
        "checks",
        List.of(
            Map.of(
                "code",
                "accounts",
                "name",
                "all accounts sum to 0",
                "holds",
                true,
                "violations",
                0,
                "example",
                ""),
            Map.of(
                "code",
                "of-a-later-version",
                "name",
                "each top-up is posted with its amount",
                "holds",
                false,
                "violations",
                2,
                "example",
                "top-up k-1")));
    runs.add(run);
    return runs;
  }

  private boolean accounts(HttpExchange exchange, String method, List<String> parts)
      throws IOException {
    if (parts.size() == 1 && method.equals("GET")) {
      peer.send(exchange, 200, JSON.writeValueAsString(list()));
      return true;
    }
    if (parts.size() < 3
        || !List.of("credit", "wallets", "grants", "allowance").contains(parts.get(2))
        || !peer.users.containsKey(parts.get(1))) {
      return false;
    }
    if (!method.equals("GET")) {
      change(exchange, parts);
      return true;
    }
    switch (parts.getLast()) {
      case "reservations" -> answer(exchange, Map.of("reservations", reservations));
      case "notices" -> answer(exchange, Map.of("notices", notices));
      case "wallets" -> {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("wallets", wallets);
        all.put("allowanceMicrodenarii", allowance);
        answer(exchange, all);
      }
      case "allowance" ->
          tagged(exchange, version, Map.of("allowanceMicrodenarii", String.valueOf(allowance)));
      default -> tagged(exchange, version, credit(parts.get(1)));
    }
    return true;
  }

  private void change(HttpExchange exchange, List<String> parts) throws IOException {
    String tag = exchange.getRequestHeaders().getFirst("If-Match");
    byte[] body = exchange.getRequestBody().readAllBytes();
    boolean isAllowance = parts.get(2).equals("allowance");
    boolean endsAllowance = isAllowance && exchange.getRequestMethod().equals("DELETE");
    boolean setsFirst = isAllowance && !endsAllowance && allowance == null && tag == null;
    if ((parts.get(2).equals("credit") || isAllowance) && !setsFirst && !tag(version).equals(tag)) {
      peer.problem(exchange, 412, "limit, caps or block have changed since: read them again");
      return;
    }
    if (isAllowance) {
      allowance = endsAllowance ? null : JSON.readTree(body).get("amountMicrodenarii").asString();
    }
    changes.add(
        exchange.getRequestMethod() + " " + String.join("/", parts) + " " + new String(body));
    version++;
    answer(exchange, Map.of());
  }

  private Map<String, Object> list() {
    List<Map<String, Object>> accounts = new ArrayList<>();
    peer.users.forEach((id, user) -> {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("id", id);
      row.put("role", user.role());
      row.put("displayName", user.displayName());
      row.put("state", "active");
      row.put("credit", "sufficient");
      row.put("blocked", false);
      row.put("balanceMicrodenarii", Long.toString(peer.balances.getOrDefault(id, 0L)));
      row.put("reservedMicrodenarii", "0");
      row.put("spentTodayMicrodenarii", "1234567");
      row.put("spentThisMonthMicrodenarii", "45678901");
      row.putAll(rows.getOrDefault(id, Map.of()));
      accounts.add(row);
    });
    Map<String, Object> page = new LinkedHashMap<>();
    page.put("accounts", accounts);
    page.put("next", next.isEmpty() ? null : next);
    return page;
  }

  private Map<String, Object> credit(String account) {
    Map<String, Object> credit = new LinkedHashMap<>();
    credit.put("account", account);
    credit.put("state", "low");
    credit.put("refused", block != null ? "blocked" : "none");
    credit.put("block", block);
    credit.put("balanceMicrodenarii", Long.toString(peer.balances.getOrDefault(account, 0L)));
    credit.put("limitMicrodenarii", "5000000");
    credit.put("reservedMicrodenarii", "345678");
    credit.put("availableMicrodenarii", Long.toString(peer.balances.getOrDefault(account, 0L)));
    Map<String, Object> caps = new LinkedHashMap<>();
    caps.put("dayMicrodenarii", "2500000");
    caps.put("monthMicrodenarii", null);
    caps.put("spentTodayMicrodenarii", "1234567");
    caps.put("spentThisMonthMicrodenarii", "45678901");
    credit.put("caps", caps);
    credit.put("spentLastHourMicrodenarii", "250000");
    credit.put("lastsSeconds", 244_800);
    return credit;
  }

  public static Map<String, Object> reservation(String account, boolean isCut) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("account", account);
    row.put("snapt", "snapt-1");
    row.put("session", "6f1c1f2e-8f0e-4d61-9a57-3f5ac8b2c001");
    row.put("application", "web");
    row.put("serviceClass", "HT_HD");
    row.put("usedBytes", "1500000");
    row.put("allowedBytes", "1565536");
    row.put("coveredBytes", "1000000");
    row.put("bytesPerSecond", 250_000.0);
    row.put("reservedMicrodenarii", "345678");
    row.put("validUntil", ANY);
    row.put("cut", isCut);
    row.put("ended", false);
    row.put("heardAt", ANY);
    return row;
  }

  public static Map<String, Object> notice(String state, String delivery) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("id", "3");
    row.put("state", state);
    row.put("creditMicrodenarii", "4999999");
    row.put("noticedAt", ANY);
    row.put("delivery", delivery);
    row.put("attempts", 3);
    row.put("lastError", delivery.equals("given-up") ? "status 503" : "");
    return row;
  }

  public static Map<String, Object> wallet(String kind, String reason) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("id", "4");
    row.put("kind", kind);
    row.put("amountMicrodenarii", "5000000");
    row.put("restMicrodenarii", "1250000");
    row.put("grantedAt", ANY);
    row.put("expiresAt", "2026-12-01T00:00:00Z");
    row.put("reason", reason);
    return row;
  }

  private Map<String, Object> overview() {
    Map<String, Object> overview = new LinkedHashMap<>();
    overview.put("reservedMicrodenarii", "345678");
    overview.put("sessions", 12);
    overview.put("applications", 40);
    overview.put("cutAccounts", 1);
    overview.put("pushes", Map.of("success", 314, "account_blocked", 2));
    overview.put("largest", reservations);
    return overview;
  }

  private boolean tariffs(HttpExchange exchange, String method, List<String> parts)
      throws IOException {
    String last = parts.getLast();
    if (method.equals("GET")) {
      if (parts.size() == 1) {
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("tariffs", tariffs);
        page.put("next", null);
        tagged(exchange, version, page);
      } else {
        answerOr404(
            exchange,
            tariffs.stream()
                .filter(one -> one.get("version").toString().equals(last))
                .findFirst()
                .orElse(null));
      }
      return true;
    }
    String body = new String(exchange.getRequestBody().readAllBytes());
    Map<String, Object> refused = refusal;
    if (refused != null) {
      peer.send(exchange, 422, JSON.writeValueAsString(refused));
    } else {
      switch (last) {
        case "check" -> answer(exchange, Map.of("tariff", document()));
        case "diff" -> answer(exchange, Map.of("changes", differences));
        case "simulate" -> answer(exchange, trial());
        default -> publish(exchange, body);
      }
    }
    return true;
  }

  private void publish(HttpExchange exchange, String body) throws IOException {
    if (!tag(version).equals(exchange.getRequestHeaders().getFirst("If-Match"))) {
      peer.problem(exchange, 412, "version 3 is the latest now: read the versions again");
      return;
    }
    changes.add("POST tariffs " + body);
    tariffs.add(tariff(tariffs.size() + 1, "scheduled"));
    peer.send(exchange, 201, JSON.writeValueAsString(tariffs.getLast()));
  }

  private boolean drafts(HttpExchange exchange, String method, List<String> parts)
      throws IOException {
    if (parts.size() == 1 && method.equals("GET")) {
      answer(exchange, Map.of("drafts", drafts.values()));
      return true;
    }
    if (method.equals("POST")) {
      JsonNode wanted = JSON.readTree(exchange.getRequestBody());
      begin("5", wanted.get("name").asString());
      peer.send(exchange, 201, drafts.get("5").toString());
      return true;
    }
    ObjectNode draft = drafts.get(parts.getLast());
    if (draft == null) {
      peer.problem(exchange, 404, "no such draft");
    } else if (method.equals("DELETE")) {
      if (isFailingToDelete) {
        peer.problem(exchange, 500, "no connection to the database");
      } else {
        drafts.remove(parts.getLast());
        exchange.sendResponseHeaders(204, -1);
      }
    } else if (method.equals("GET")) {
      tagged(exchange, draftVersion, draft);
    } else if (!tag(draftVersion).equals(exchange.getRequestHeaders().getFirst("If-Match"))) {
      peer.problem(exchange, 412, "the draft has been changed since, in another window");
    } else {
      JsonNode wanted = JSON.readTree(exchange.getRequestBody());
      draft.set("name", wanted.get("name"));
      draft.set("tariff", wanted.get("tariff"));
      draftVersion++;
      tagged(exchange, draftVersion, draft);
    }
    return true;
  }

  /// Adds a draft as somebody has begun it.
  public void begin(String id, String name) {
    drafts.put(
        id,
        JSON.createObjectNode()
            .put("id", id)
            .put("name", name)
            .put("basedOn", 2)
            .put("changedAt", ANY)
            .set("tariff", document()));
  }

  private Map<String, Object> trial() {
    Map<String, Object> trial = new LinkedHashMap<>();
    trial.put("from", "2026-11-19T00:00:00Z");
    trial.put("to", "2026-11-20T00:00:00Z");
    trial.put("coveredTo", trialIsComplete ? "2026-11-20T00:00:00Z" : "2026-11-19T14:30:00Z");
    trial.put("complete", trialIsComplete);
    trial.put("chargesMax", 200_000);
    trial.put("secondsMax", 10);
    trial.put("reports", 1440);
    trial.put("accounts", 3);
    trial.put("total", sum("41250000", "38750000"));
    trial.put(
        "classes",
        List.of(
            Map.of("name", "HT_LD", "sum", sum("30000000", "25000000")),
            Map.of("name", "HT_HD", "sum", sum("11250000", "13750000"))));
    trial.put(
        "applications",
        List.of(
            Map.of("name", "video-call", "sum", sum("30000000", "25000000")),
            Map.of("name", "web", "sum", sum("11250000", "13750000"))));
    List<Map<String, Object>> groups = new ArrayList<>();
    for (String[] bounds : new String[][] {{null, "0"}, {"0", "1000000"}, {"100000000", null}}) {
      Map<String, Object> group = new LinkedHashMap<>();
      group.put("leastMicrodenarii", bounds[0]);
      group.put("mostMicrodenarii", bounds[1]);
      group.put("accounts", 1);
      group.put("rises", 0);
      group.put("falls", 1);
      group.put("paidBeforeMicrodenarii", "750000");
      group.put("paidAfterMicrodenarii", "650000");
      groups.add(group);
    }
    trial.put("groups", groups);
    trial.put(
        "changes",
        List.of(
            Map.of(
                "account",
                "alice",
                "paidBeforeMicrodenarii",
                "30000000",
                "paidAfterMicrodenarii",
                "25000000")));
    return trial;
  }

  private static Map<String, Object> sum(String before, String after) {
    Map<String, Object> sum = new LinkedHashMap<>();
    sum.put("charges", 2880);
    sum.put("preBytes", "1234567890");
    sum.put("before", bill(before));
    sum.put("after", bill(after));
    sum.put("capBeforeMicrodenarii", "0");
    sum.put("capAfterMicrodenarii", "1500000");
    sum.put("paidBeforeMicrodenarii", before);
    sum.put("paidAfterMicrodenarii", after);
    return sum;
  }

  private static Map<String, Object> bill(String net) {
    Map<String, Object> bill = new LinkedHashMap<>();
    for (String line :
        List.of("charge", "discount", "reward", "accessFee", "surcharge", "promiseRefund")) {
      bill.put(line + "Microdenarii", "1250000");
    }
    bill.put("netMicrodenarii", net);
    return bill;
  }

  private static String tag(int version) {
    return "\"" + version + "\"";
  }

  private void tagged(HttpExchange exchange, int version, Object body) throws IOException {
    exchange.getResponseHeaders().set("ETag", tag(version));
    answer(exchange, body);
  }

  private void answerOr404(HttpExchange exchange, @Nullable Object body) throws IOException {
    if (body == null) {
      peer.problem(exchange, 404, "it does not exist");
    } else {
      answer(exchange, body);
    }
  }

  private void answer(HttpExchange exchange, Object body) throws IOException {
    peer.send(exchange, 200, JSON.writeValueAsString(body));
  }
}
