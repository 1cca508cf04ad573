package io.viaduct.webgui;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Billing and bridge as the pages see them: the same paths, shapes and status codes, with
/// accounts, charges and SNAPTs that a test sets. Real HTTP on loopback.
public final class PeerServer implements AutoCloseable {
  public static final String BRIDGE_TOKEN = "bridge-token";
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String STREAM_ENDS = "";
  private static final int SAID_LENGTH_MAX = 100_000;

  /// Names ways to answer, and not to.
  public enum Mood {
    WELL,
    FAILING,
    GARBLED,
    HOLLOW,
    ENDLESS,
    SILENT
  }

  public record User(String password, String role, String displayName) {}

  public record Posted(String account, String key, String amount, String reference) {}

  private final HttpServer server;
  public final Map<String, User> users = new LinkedHashMap<>();
  public final Map<String, Long> balances = new ConcurrentHashMap<>();
  public final Map<String, String> tokens = new ConcurrentHashMap<>();
  public final List<Map<String, Object>> charges = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> snapts = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> refusedReports = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> held = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> unsigned = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> counts = new CopyOnWriteArrayList<>();
  public final List<String> decisions = new CopyOnWriteArrayList<>();
  public final List<String> decisionKeys = new CopyOnWriteArrayList<>();
  public volatile boolean refusesDecisions;

  /// Words of a refused decision; none of its own if empty.
  public volatile String refusedWith = "";

  public volatile String outcome = "posted";
  public final List<Map<String, Object>> gaps = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> topUps = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> credits = new CopyOnWriteArrayList<>();

  public final List<Map<String, Object>> capCredits = new CopyOnWriteArrayList<>();

  /// Cursor of older credits of caps; empty if there are none.
  public volatile String moreCapCredits = "";

  public final Map<String, Object> usage = new ConcurrentHashMap<>();

  /// Differences from a plain credit of an account.
  public final Map<String, Object> funds = new ConcurrentHashMap<>();

  public final List<Map<String, Object>> wallets = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> running = new CopyOnWriteArrayList<>();

  /// Explanation of the worked example's charge by billing.
  public volatile String explanation = "";

  public final Map<String, Object> payment = new ConcurrentHashMap<>();

  /// Addresses of the lists and files of charges that were asked for.
  public final List<String> asked = new CopyOnWriteArrayList<>();

  /// What operators have ordered about SNAPTs, at the bridge and at billing.
  public final List<String> ordered = new CopyOnWriteArrayList<>();

  public volatile boolean refusingCredits;
  public final Map<String, Posted> posted = new ConcurrentHashMap<>();
  private static final String ACCOUNT_TAG = "\"4\"";
  private static final String DEVICES_TAG = "\"7\"";

  public final List<String> changes = new CopyOnWriteArrayList<>();
  public final List<Posted> received = new CopyOnWriteArrayList<>();
  public final List<BlockingQueue<String>> streams = new CopyOnWriteArrayList<>();
  public volatile Mood billing = Mood.WELL;
  public volatile Mood bridge = Mood.WELL;
  public volatile boolean throttling;

  /// Texts of its answers, longest first.
  private final Set<String> said = ConcurrentHashMap.newKeySet();

  private final Set<String> refusals = ConcurrentHashMap.newKeySet();

  public final AtomicInteger loginAttempts = new AtomicInteger();
  public final List<String> loginsFrom = new CopyOnWriteArrayList<>();
  public final List<String> loginMarks = new CopyOnWriteArrayList<>();

  /// Vouchers and payments.
  public final BroughtMoneyPeer money = new BroughtMoneyPeer(this);

  /// ID tokens that the pages brought.
  public final List<String> idTokens = new CopyOnWriteArrayList<>();

  /// Second factors of the users.
  public final SecondFactorPeer factors = new SecondFactorPeer(this);

  /// Secret of the link that was made last; empty once it is used.
  public volatile String reset = "";

  /// Answers to what only operators ask for.
  public final OperatorPeer work = new OperatorPeer(this);

  private int tokenCount;

  public PeerServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/api/v1/", this::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
    reset();
  }

  public URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /// Two users and an operator, no charges, everybody well.
  public void reset() {
    endStreams();
    money.reset();
    reset = "";
    users.clear();
    users.put("alice", new User("wonder land", "user", "Alice A."));
    users.put("bob", new User("builder", "user", "Bob B."));
    users.put("olga", new User("operates", "operator", "Olga O."));
    users.put("aude", new User("audits all", "auditor", "Aude A."));
    users.put("acme", new User("owns relays", "snapt-owner", "Acme"));
    balances.clear();
    balances.putAll(Map.of("alice", 12_345_678L, "bob", -250_000L, "olga", 0L, "aude", 0L));
    for (List<?> list :
        List.of(
            charges,
            wallets,
            running,
            snapts,
            ordered,
            refusedReports,
            gaps,
            received,
            topUps,
            credits,
            capCredits,
            asked,
            loginsFrom,
            loginMarks,
            held,
            unsigned,
            counts,
            decisions,
            decisionKeys,
            ordered,
            changes)) {
      list.clear();
    }
    posted.clear();
    said.clear();
    refusals.clear();
    tokens.clear();
    billing = Mood.WELL;
    bridge = Mood.WELL;
    throttling = false;
    refusingCredits = false;
    moreCapCredits = "";
    explanation = explained();
    payment.clear();
    funds.clear();
    payment.putAll(
        Map.of(
            "charge",
            "c1",
            "passedBy",
            "quota",
            "paidBy",
            List.of(
                Map.of("wallet", "grant", "walletId", "5", "amountMicrodenarii", "2000000"),
                Map.of("wallet", "prepaid", "amountMicrodenarii", "10745279"))));
    usage.clear();
    usage.putAll(Map.of("usage", List.of(), "total", sums(null, "0", "0")));
    refusesDecisions = false;
    refusedWith = "";
    outcome = "posted";
    loginAttempts.set(0);
    work.reset();
    factors.reset();
    idTokens.clear();
  }

  /// The explanation of [#charge], from a file that has billing's shape.
  public static String explained() {
    try (var file = PeerServer.class.getResourceAsStream("explanation.json")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A charge as the brief of billing's REST says, of the worked example of the DANUM rules.
  public static Map<String, Object> charge(String id, String account) {
    Map<String, Object> charge = new LinkedHashMap<>();
    charge.put("id", id);
    charge.put("account", account);
    charge.put("snapt", "snapt-1");
    charge.put("session", "6f1c1f2e-8f0e-4d61-9a57-3f5ac8b2c001");
    charge.put("epoch", 3);
    charge.put("sequence", 41);
    charge.put("flow", 7);
    charge.put("start", "2026-11-20T10:00:00Z");
    charge.put("end", "2026-11-20T10:01:00Z");
    charge.put("application", "skype-video");
    charge.put("serviceClass", "HT_LD");
    charge.put("protocol", 17);
    charge.put("remoteAddress", "203.0.113.7");
    charge.put("remotePort", 3478);
    charge.put("preBytes", "2550000");
    charge.put("postBytes", "1020000");
    charge.put("savedBytes", "1530000");
    charge.put("savedPercent", 60.0);
    charge.put("durationMs", 60000);
    charge.put("throughputKbitPerSecond", 340.0);
    charge.put("delayMs", 140.0);
    charge.put("delayErrorMs", 5.25);
    charge.put("delaySource", "MEASURED");
    charge.put("loss", 0.0125);
    charge.put("utilityPerSecond", 0.4398496);
    charge.put("pricePerUnit", 0.0006622681);
    charge.put("units", 20400.0);
    charge.put("chargeMicrodenarii", "13510279");
    charge.put("discountMicrodenarii", "765000");
    charge.put("discountBase", "SAVED");
    charge.put("discountBeneficiary", "USER");
    charge.put("rewardMicrodenarii", "0");
    charge.put("netMicrodenarii", "12745279");
    charge.put("tariffVersion", 1);
    charge.put("state", "corrected");
    charge.put("limitedBy", "PRICE");
    charge.put("brokenPromise", null);
    charge.put("promised", null);
    charge.put("measured", null);
    charge.put("device", "q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJq80");
    charge.put("link", "wlan0");
    return charge;
  }

  /// Sums of a day and class, as billing writes them.
  public static Map<String, Object> sums(String day, String charges, String net) {
    Map<String, Object> sums = new LinkedHashMap<>();
    sums.put("day", day);
    sums.put("serviceClass", day == null ? null : "HT_HD");
    sums.put("application", null);
    sums.put("device", null);
    sums.put("hour", null);
    sums.put("charges", charges);
    sums.put("preBytes", "2550000");
    sums.put("postBytes", "1020000");
    sums.put("savedBytes", "1530000");
    sums.put("durationMs", "60000");
    sums.put("chargeMicrodenarii", net);
    sums.put("discountMicrodenarii", "0");
    sums.put("netMicrodenarii", net);
    return sums;
  }

  public static Map<String, Object> snapt(String id, int sessions) {
    Map<String, Object> snapt = new LinkedHashMap<>();
    snapt.put("id", id);
    snapt.put("host", "10.71.0.11");
    snapt.put("controlPort", 443);
    snapt.put("dataPort", 4500);
    snapt.put("region", "lab");
    snapt.put("owner", "operator");
    snapt.put("epoch", 3);
    snapt.put("sessions", sessions);
    snapt.put("sessionsLimit", 1000);
    snapt.put("upBitPerSecond", 1_200_000.0);
    snapt.put("downBitPerSecond", 48_300_000.0);
    snapt.put("reportsPending", 2);
    snapt.put("version", "0.1.0");
    snapt.put("datagramsRefused", 17);
    snapt.put("duplicatesRefused", 0);
    snapt.put("duplicateFrom", null);
    snapt.put("seenAt", "2026-11-20T10:00:58Z");
    snapt.put("state", "up");
    snapt.put("drain", "serving");
    snapt.put("drainDeadlineAt", null);
    snapt.put("loadPercent", 7);
    snapt.put("surcharges", List.of(0, 0, 0, 2_500_000));
    return snapt;
  }

  /// Books a charge and tells every open stream, as billing does.
  public void book(Map<String, Object> charge) {
    charges.addFirst(charge);
    balances.merge(
        (String) charge.get("account"),
        -Long.parseLong((String) charge.get("netMicrodenarii")),
        Long::sum);
    tell("event: charge\ndata: " + JSON.writeValueAsString(charge) + "\n\n");
    tell("event: balance\ndata: {}\n\n");
  }

  public void tell(String event) {
    streams.forEach(stream -> stream.add(event));
  }

  public void endStreams() {
    tell(STREAM_ENDS);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath().substring("/api/v1".length());
      boolean ofBridge =
          path.equals("/snapts") && !isVisitor(exchange)
              || path.equals("/registrations")
              || path.equals("/sip-refusals")
              || path.endsWith("drain");
      if (moody(exchange, ofBridge ? bridge : billing)) {
        return;
      }
      if (ofBridge) {
        answerBridge(exchange);
      } else {
        answerBilling(exchange, path, Arrays.asList(path.substring(1).split("/")));
      }
    }
  }

  private boolean moody(HttpExchange exchange, Mood mood) throws IOException {
    switch (mood) {
      case WELL -> {
        return false;
      }
      case FAILING -> problem(exchange, 500, "java.lang.NullPointerException at Secret.java:12");
      case GARBLED -> send(exchange, 200, "<html>not what you expect</html>");
      case HOLLOW -> send(exchange, 200, "{}");
      case ENDLESS -> send(exchange, 200, "[" + "1,".repeat(200_000) + "1]");
      case SILENT -> await(exchange);
    }
    return true;
  }

  private static void await(HttpExchange exchange) throws IOException {
    // Reads until the other side gives up and closes the connection.
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream body = exchange.getResponseBody()) {
      for (int i = 0; i < 1000; i++) {
        body.write(' ');
        body.flush();
        java.util.concurrent.locks.LockSupport.parkNanos(20_000_000);
      }
    }
  }

  private static final String TOKEN =
      "{\"id\":\"3\",\"name\":\"reader\",\"scopes\":[\"read\"],\"createdAt\":\"2026-11-01T10:00:00Z\","
          + "\"expiresAt\":\"2027-11-01T10:00:00Z\",\"lastUsedAt\":null,\"revokedAt\":%s}";

  private static final String WEBHOOK =
      "{\"id\":\"%s\",\"url\":\"https://hooks.example/%s\",\"description\":\"books\",\"events\":[\"balance.low\"],"
          + "\"allAccounts\":true,\"state\":\"%s\",\"failures\":0,\"createdAt\":\"2026-11-01T10:00:00Z\"}";

  private static final String DELIVERY =
      "{\"id\":\"%s\",\"event\":\"9\",\"kind\":\"balance.low\",\"account\":\"alice\",\"createdAt\":"
          + "\"2026-11-01T10:00:00Z\",\"state\":\"%s\",\"attempts\":2,\"lastStatus\":500,\"lastError\":\"status 500\","
          + "\"lastAttemptAt\":\"2026-11-01T10:00:00Z\",\"nextAttemptAt\":null}";

  private void webhooks(HttpExchange exchange, String method, String path) throws IOException {
    if (!method.equals("GET")) {
      changes.add(
          method
              + " "
              + path
              + " "
              + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    }
    if (path.endsWith("/deliveries")) {
      send(
          exchange,
          200,
          "{\"deliveries\":[%s,%s,%s],\"next\":\"older\"}"
              .formatted(
                  DELIVERY.formatted("1", "due"),
                  DELIVERY.formatted("2", "dead"),
                  DELIVERY.formatted("3", "delivered")));
    } else if (method.equals("POST") && !path.endsWith("/resend")) {
      send(exchange, 201, "{\"secret\":\"vds_shown-once\",\"webhook\":{}}");
    } else if (method.equals("DELETE") || method.equals("POST")) {
      exchange.sendResponseHeaders(204, -1);
    } else if (path.endsWith("/webhooks")) {
      send(
          exchange,
          200,
          "{\"webhooks\":[%s,%s]}"
              .formatted(
                  WEBHOOK.formatted("4", "a", "active"), WEBHOOK.formatted("5", "b", "disabled")));
    } else {
      exchange.getResponseHeaders().set("ETag", "\"3\"");
      send(exchange, 200, WEBHOOK.formatted("5", "b", "disabled"));
    }
  }

  private void tokens(HttpExchange exchange, String method, String path) throws IOException {
    if (method.equals("DELETE")) {
      changes.add("DELETE " + path);
      exchange.sendResponseHeaders(204, -1);
    } else if (method.equals("POST")) {
      changes.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      send(
          exchange, 201, "{\"token\":\"vdt_shown-once\",\"made\":" + TOKEN.formatted("null") + "}");
    } else {
      send(
          exchange,
          200,
          "{\"tokens\":[%s,%s],\"next\":\"more\"}"
              .formatted(TOKEN.formatted("null"), TOKEN.formatted("\"2026-11-02T10:00:00Z\"")));
    }
  }

  /// Returns true for a request with a token of billing.
  private boolean isVisitor(HttpExchange exchange) {
    String bearer = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
    return tokens.containsKey(bearer.replace("Bearer ", ""));
  }

  private void answerBridge(HttpExchange exchange) throws IOException {
    if (!("Bearer " + BRIDGE_TOKEN)
        .equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
      problem(exchange, 401, "no token");
      return;
    }
    if (exchange.getRequestURI().getPath().endsWith("/sip-refusals")) {
      send(
          exchange,
          200,
          JSON.writeValueAsString(
              Map.of(
                  "refusals",
                  List.of(
                      Map.of(
                          "part", "credentials",
                          "reason", "wrong_password",
                          "words", "the password is wrong",
                          "count", 12)))));
      return;
    }
    if (exchange.getRequestURI().getPath().endsWith("/registrations")) {
      asked.add(String.valueOf(exchange.getRequestURI().getQuery()));
      send(
          exchange,
          200,
          JSON.writeValueAsString(
              Map.of("registrations", work.registrations, "total", 51, "next", "bmV4dA")));
      return;
    }
    if (exchange.getRequestMethod().equals("POST")) {
      String path = exchange.getRequestURI().getPath();
      JsonNode order = JSON.readTree(exchange.getRequestBody());
      ordered.add(
          path.replaceFirst(".*/snapts/", "")
              + " by "
              + order.get("by").asString()
              + (order.has("deadlineSeconds") ? " in " + order.get("deadlineSeconds") + " s" : ""));
      boolean draining = path.endsWith("/drain");
      snapts.forEach(each -> each.put("drain", draining ? "draining" : "serving"));
      send(exchange, 202, "");
      return;
    }
    send(exchange, 200, JSON.writeValueAsString(Map.of("snapts", snapts)));
  }

  private void answerBilling(HttpExchange exchange, String path, List<String> parts)
      throws IOException {
    String method = exchange.getRequestMethod();
    if (path.contains("/webhooks")) {
      webhooks(exchange, method, path);
      return;
    }
    if (path.contains("/tokens")) {
      tokens(exchange, method, path);
      return;
    }
    if (path.endsWith("/drain-orders")) {
      changes.add(
          path
              + " "
              + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      send(exchange, 201, "{}");
      return;
    }
    if (path.equals("/snapts") && method.equals("GET")) {
      send(
          exchange,
          200,
          "{\"snapts\":[{\"id\":\"snapt-9\",\"owner\":\"acme\",\"region\":\"north\","
              + "\"enrolledAt\":\"2026-11-01T10:00:00Z\"}]}");
      return;
    }
    if (path.endsWith("/fees")) {
      send(
          exchange,
          200,
          "{\"owner\":\"acme\",\"earnedMicrodenarii\":\"7500000\",\"next\":\"older\",\"fees\":["
              + "{\"day\":\"2026-11-19\",\"snapt\":\"snapt-9\",\"feeMicrodenarii\":\"2500000\","
              + "\"intervals\":1234}]}");
      return;
    }
    if (parts.getFirst().equals("snapts") || parts.getFirst().equals("owners")) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      ordered.add(method + " " + path + (body.isEmpty() ? "" : " " + body));
      send(exchange, 200, "{}");
      return;
    }
    if (path.equals("/sessions/identities")) {
      identities(exchange);
      return;
    }
    if (path.equals("/sessions/codes")) {
      factors.code(exchange);
      return;
    }
    if (path.equals("/sessions") && method.equals("POST")) {
      openSession(exchange);
      return;
    }
    if (path.equals("/password-resets")) {
      JsonNode body = JSON.readTree(exchange.getRequestBody());
      if (!body.get("token").asString().equals(reset)) {
        problem(exchange, 410, "ask your operator for a new link");
      } else if (body.get("newPassword").asString().length() < 8) {
        problem(exchange, 400, "newPassword must have at least 8 characters");
      } else {
        reset = "";
        users.put("alice", new User(body.get("newPassword").asString(), "user", "Alice A."));
        send(exchange, 200, "{\"account\":\"alice\"}");
      }
      return;
    }
    if (path.equals("/statement-roots")) {
      send(exchange, 200, StatementPeer.ROOTS);
      return;
    }
    String bearer = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
    String visitor = tokens.get(bearer.replace("Bearer ", ""));
    if (visitor == null) {
      problem(exchange, 401, "unknown token");
      return;
    }
    if (parts.size() > 2 && parts.get(2).equals("second-factor")) {
      factors.answer(exchange, method, parts.get(1), parts.size() > 3 ? "/" + parts.get(3) : "");
      return;
    }
    String role = users.get(visitor).role();
    boolean operator =
        role.equals("operator")
            || role.equals("auditor") && (method.equals("GET") || path.equals("/tariffs/diff"));
    if (operator && work.answers(exchange, parts)) {
      return;
    }
    if (path.endsWith("/erasure")) {
      changes.add("erase " + parts.get(1));
      send(exchange, 200, "{\"pseudonym\":\"erased-1\"}");
      return;
    }
    if (path.endsWith("/password-resets")) {
      reset = "secret-of-the-link";
      send(
          exchange,
          201,
          "{\"account\":\"alice\",\"token\":\"secret-of-the-link\",\"expiresAt\":\"2026-11-21T10:00:00Z\"}");
      return;
    }
    if (money.answers(exchange, method, path)) {
      return;
    }
    if (path.equals("/accounts/alice/receipts")) {
      asked.add(String.valueOf(exchange.getRequestURI().getQuery()));
      send(exchange, 200, StatementPeer.RECEIPTS);
      return;
    }
    if (path.contains("/statements/")) {
      String statement = StatementPeer.answer(path);
      send(exchange, 200, statement);
      return;
    }
    if (path.equals("/sessions/current")) {
      tokens.values().remove(visitor);
      exchange.sendResponseHeaders(204, -1);
    } else if (path.equals("/accounts") && operator && method.equals("POST")) {
      JsonNode body = JSON.readTree(exchange.getRequestBody());
      if (users.containsKey(body.get("id").asString())) {
        problem(exchange, 409, "account 'alice' exists, or existed and is closed");
      } else {
        users.put(
            body.get("id").asString(),
            new User(body.get("password").asString(), "user", body.get("displayName").asString()));
        send(exchange, 201, "{}");
      }
    } else if (path.equals("/reports/refused") && operator) {
      send(exchange, 200, JSON.writeValueAsString(Map.of("refused", refusedReports)));
    } else if (path.equals("/reports/gaps") && operator) {
      Map<String, Object> page = new LinkedHashMap<>(Map.of("gaps", gaps));
      boolean isLast =
          gaps.size() < 2
              || String.valueOf(exchange.getRequestURI().getQuery()).contains("cursor=older-gaps");
      page.put("next", isLast ? null : "older-gaps");
      send(exchange, 200, JSON.writeValueAsString(page));
    } else if (parts.getFirst().equals("reports") && operator) {
      reports(exchange, parts.subList(1, parts.size()));
    } else if (parts.getFirst().equals("charges") && parts.size() == 2) {
      // Answers whoever asks: the pages' own check has to hold alone.
      one(exchange, parts.get(1));
    } else if (parts.getFirst().equals("charges") && parts.get(2).equals("explain")) {
      send(exchange, 200, explanation);
    } else if (parts.getFirst().equals("charges") && parts.get(2).equals("payment")) {
      send(exchange, 200, JSON.writeValueAsString(payment));
    } else if (parts.getFirst().equals("accounts")
        && parts.size() > 1
        && users.containsKey(parts.get(1))
        && (operator || parts.get(1).equals(visitor))) {
      account(exchange, parts.get(1), parts.size() == 2 ? "" : parts.get(2));
    } else {
      problem(exchange, 404, "no such resource");
    }
  }

  private void reports(HttpExchange exchange, List<String> parts) throws IOException {
    List<Map<String, Object>> rows = parts.getFirst().equals("held") ? held : unsigned;
    if (parts.equals(List.of("counts"))) {
      send(exchange, 200, JSON.writeValueAsString(Map.of("counts", counts)));
    } else if (parts.size() == 1) {
      String query = String.valueOf(exchange.getRequestURI().getQuery());
      asked.add(exchange.getRequestURI().toString());
      send(
          exchange,
          200,
          JSON.writeValueAsString(
              Map.of(
                  parts.getFirst(),
                  rows.stream()
                      .filter(row ->
                          !query.contains("refusal=")
                              || query.contains("refusal=" + row.get("refusal")))
                      .toList())));
    } else {
      Map<String, Object> row =
          rows.stream().filter(r -> r.get("id").equals(parts.get(1))).findFirst().orElse(null);
      if (row == null) {
        problem(exchange, 404, "no such report");
      } else if (parts.size() == 2) {
        send(exchange, 200, JSON.writeValueAsString(row));
      } else {
        decisionKeys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key")));
        decisions.add(
            parts.get(2)
                + " "
                + parts.get(1)
                + ": "
                + JSON.readTree(exchange.getRequestBody()).get("reason").asString());
        decided(exchange);
      }
    }
  }

  private void decided(HttpExchange exchange) throws IOException {
    if (!refusedWith.isEmpty()) {
      problem(exchange, 409, refusedWith);
    } else if (refusesDecisions) {
      problem(exchange, 409, "interval 9 may be decided from 2026-11-21T10:01:00Z on");
    } else {
      send(exchange, 200, "{\"outcome\":\"" + outcome + "\",\"detail\":\"no account 'bob'\"}");
    }
  }

  /// A row of the held reports, of two flows of the worked example.
  public static Map<String, Object> held(String id, String account, String reason, String detail) {
    Map<String, Object> row = new LinkedHashMap<>(unsigned(id, account));
    row.put("receivedAt", "2026-11-20T10:01:01Z");
    row.put("reason", reason);
    row.put("detail", detail);
    row.put("receiptOwed", true);
    row.put("state", "held");
    return row;
  }

  /// A row of the unsigned intervals.
  public static Map<String, Object> unsigned(String id, String account) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("id", id);
    row.put("snapt", "snapt-1");
    row.put("session", "6f1c1f2e-8f0e-4d61-9a57-3f5ac8b2c001");
    row.put("epoch", 3);
    row.put("sequence", 41);
    row.put("account", account);
    row.put("start", "2026-11-20T10:00:00Z");
    row.put("end", "2026-11-20T10:01:00Z");
    row.put("dueAt", "2026-11-21T10:01:00Z");
    row.put("due", true);
    row.put("preBytes", "3975000");
    row.put("chargeMicrodenarii", "35541158");
    row.put("discountMicrodenarii", "1192500");
    return row;
  }

  private void openSession(HttpExchange exchange) throws IOException {
    JsonNode body = JSON.readTree(exchange.getRequestBody());
    String name = body.get("user").asString();
    User user = users.get(name);
    loginAttempts.incrementAndGet();
    loginsFrom.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Forwarded-For")));
    loginMarks.add(body.path("knownBrowser").asString(""));
    if (throttling) {
      problem(exchange, 429, "too many attempts");
    } else if (user == null || !user.password().equals(body.get("password").asString())) {
      problem(exchange, 401, "wrong user or password");
    } else if (factors.isOn(name)) {
      send(
          exchange,
          401,
          "{\"type\":\"urn:viaduct:problem:code-required\",\"challenge\":\"challenge-of-%s\"}"
              .formatted(name));
    } else {
      begin(exchange, name);
    }
  }

  // Billing verifies the signature; a test of it does so with real tokens.
  private void identities(HttpExchange exchange) throws IOException {
    String token = JSON.readTree(exchange.getRequestBody()).get("idToken").asString();
    idTokens.add(token);
    byte[] claims = Base64.getUrlDecoder().decode(token.split("\\.")[1]);
    String subject = JSON.readTree(claims).get("sub").asString();
    if (users.containsKey(subject)) {
      begin(exchange, subject);
    } else {
      problem(exchange, 403, "ask an operator to link your account");
    }
  }

  /// Answers that a user is logged in.
  void begin(HttpExchange exchange, String name) throws IOException {
    String token = "secret-token-" + name + "-" + ++tokenCount;
    tokens.put(token, name);
    send(
        exchange,
        201,
        JSON.writeValueAsString(
            Map.of(
                "token",
                token,
                "user",
                name,
                "role",
                users.get(name).role(),
                "expiresAt",
                "2999-01-01T00:00:00Z",
                "knownBrowser",
                "mark-of-" + name,
                "lacksSecondFactor",
                factors.lacks(name))));
  }

  private void one(HttpExchange exchange, String id) throws IOException {
    for (Map<String, Object> charge : charges) {
      if (id.equals(charge.get("id"))) {
        send(exchange, 200, JSON.writeValueAsString(charge));
        return;
      }
    }
    problem(exchange, 404, "no such charge");
  }

  private void account(HttpExchange exchange, String id, String what) throws IOException {
    switch (what) {
      case "" -> {
        User user = users.get(id);
        exchange.getResponseHeaders().set("ETag", ACCOUNT_TAG);
        if (!exchange.getRequestMethod().equals("GET")
            && !ACCOUNT_TAG.equals(exchange.getRequestHeaders().getFirst("If-Match"))) {
          problem(exchange, 412, "the account has changed since: read it again");
          return;
        }
        if (!exchange.getRequestMethod().equals("GET")) {
          changes.add(
              exchange.getRequestMethod()
                  + " "
                  + id
                  + " "
                  + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        }
        send(
            exchange,
            200,
            JSON.writeValueAsString(
                Map.of(
                    "id",
                    id,
                    "role",
                    user.role(),
                    "displayName",
                    user.displayName(),
                    "state",
                    "active",
                    "sipSecret",
                    "shared")));
      }
      case "sip-addresses" ->
          send(
              exchange,
              200,
              JSON.writeValueAsString(
                  Map.of(
                      "domain",
                      "ims.test",
                      "username",
                      id,
                      "sipAddresses",
                      List.of("+41791234567"))));
      case "devices" -> {
        exchange.getResponseHeaders().set("ETag", DEVICES_TAG);
        if (!exchange.getRequestMethod().equals("GET")
            && !DEVICES_TAG.equals(exchange.getRequestHeaders().getFirst("If-Match"))) {
          problem(exchange, 412, "a device was named since: read the list again");
        } else if (exchange.getRequestMethod().equals("DELETE")) {
          changes.add(
              "remove " + id + " " + exchange.getRequestURI().getPath().replaceAll(".*/", ""));
          exchange.sendResponseHeaders(204, -1);
        } else if (exchange.getRequestMethod().equals("PATCH")) {
          changes.add(
              "name "
                  + id
                  + " "
                  + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(204, -1);
        } else {
          send(
              exchange,
              200,
              JSON.writeValueAsString(
                  Map.of(
                      "devicesMax",
                      8,
                      "devices",
                      List.of(
                          Map.of(
                              "id",
                              "q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJq80",
                              "name",
                              "red phone",
                              "addedAt",
                              "2026-11-20T10:00:00Z")))));
        }
      }
      case "password" -> {
        JsonNode body = JSON.readTree(exchange.getRequestBody());
        if (body.get("oldPassword").asString().equals(users.get(id).password())) {
          changes.add("password " + id + " " + body.get("newPassword").asString());
          exchange.sendResponseHeaders(204, -1);
        } else {
          problem(exchange, 403, "the old password is not right: nothing was changed");
        }
      }
      case "credit" -> send(exchange, 200, JSON.writeValueAsString(creditOf(id)));
      case "wallets" -> {
        Map<String, Object> list = new LinkedHashMap<>();
        list.put("wallets", wallets);
        list.put("allowanceMicrodenarii", null);
        send(exchange, 200, JSON.writeValueAsString(list));
      }
      case "running" -> send(exchange, 200, JSON.writeValueAsString(Map.of("running", running)));
      case "charges" -> chargesOf(exchange, id);
      case "calls" -> send(exchange, 200, JSON.writeValueAsString(Map.of("calls", work.calls)));
      case "access-sessions" ->
          send(
              exchange,
              200,
              JSON.writeValueAsString(Map.of("accessSessions", work.accessSessions)));
      case "device-reports" -> {
        List<Map<String, Object>> own =
            work.deviceReports.stream().filter(report -> id.equals(report.get("account"))).toList();
        send(
            exchange,
            200,
            JSON.writeValueAsString(
                Map.of(
                    "provisional", own.size(),
                    "expectedMicrodenarii", Long.toString(35_541_158L * own.size()),
                    "deviceReports", own)));
      }
      case "top-ups" -> {
        if (exchange.getRequestMethod().equals("GET")) {
          payments(exchange, "topUps", topUps);
        } else {
          topUp(exchange, id);
        }
      }
      case "cap-credits" -> {
        asked.add(exchange.getRequestURI().toString());
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("capCredits", capCredits);
        page.put("next", moreCapCredits.isEmpty() ? null : moreCapCredits);
        send(exchange, 200, JSON.writeValueAsString(page));
      }
      case "credits" -> {
        if (exchange.getRequestMethod().equals("GET")) {
          payments(exchange, "credits", credits);
        } else {
          credit(exchange, id);
        }
      }
      case "usage" -> {
        asked.add(exchange.getRequestURI().toString());
        send(exchange, 200, JSON.writeValueAsString(usage));
      }
      case "charges.csv", "usage.csv" -> {
        asked.add(exchange.getRequestURI().toString());
        send(exchange, 200, "id,reason\r\n" + "1,x\r\n".repeat(100_000));
      }
      case "events" -> events(exchange);
      default -> problem(exchange, 404, "no such resource");
    }
  }

  private void payments(HttpExchange exchange, String name, List<Map<String, Object>> payments)
      throws IOException {
    Map<String, Object> page = new LinkedHashMap<>();
    page.put(name, payments);
    page.put("next", null);
    send(exchange, 200, JSON.writeValueAsString(page));
  }

  private Map<String, Object> creditOf(String id) {
    String micro = Long.toString(balances.get(id));
    Map<String, Object> caps = new LinkedHashMap<>();
    caps.put("dayMicrodenarii", null);
    caps.put("monthMicrodenarii", null);
    caps.put("spentTodayMicrodenarii", "2500000");
    caps.put("spentThisMonthMicrodenarii", "40000000");
    Map<String, Object> state = new LinkedHashMap<>();
    state.put("account", id);
    state.put("state", "sufficient");
    state.put("refused", "none");
    state.put("balanceMicrodenarii", micro);
    state.put("limitMicrodenarii", "0");
    state.put("reservedMicrodenarii", "0");
    state.put("availableMicrodenarii", micro);
    state.put("caps", caps);
    state.put("spentLastHourMicrodenarii", "0");
    state.put("lastsSeconds", null);
    state.putAll(funds);
    return state;
  }

  /// A row of what runs now.
  public static Map<String, Object> running(String application, String serviceClass) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("snapt", "snapt-1");
    row.put("session", "6f1c1f2e-8f0e-4d61-9a57-3f5ac8b2c001");
    row.put("device", "q83vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJq80");
    row.put("application", application);
    row.put("serviceClass", serviceClass);
    row.put("links", List.of("wlan0", "rmnet_data0"));
    row.put("flows", 2);
    row.put("bitPerSecond", 2_400_000.0);
    row.put("reservedMicrodenarii", "300000");
    row.put("throughputKbitPerSecond", 2100.0);
    row.put("delayMs", 42.5);
    row.put("perMinuteMicrodenarii", "830000");
    row.put("reportedAt", "2026-11-20T10:00:00Z");
    return row;
  }

  /// A top-up or, with a kind, a credit, as billing lists it.
  public static Map<String, Object> payment(String kind, String text, String charge) {
    Map<String, Object> payment = new LinkedHashMap<>();
    payment.put("transaction", "17");
    if (kind != null) {
      payment.put("kind", kind);
    }
    payment.put("account", "alice");
    payment.put("amountMicrodenarii", "2500000");
    payment.put(kind == null ? "reference" : "reason", text);
    payment.put("charge", charge);
    payment.put("createdBy", "olga");
    payment.put("createdAt", "2026-11-20T10:00:00Z");
    return payment;
  }

  /// An amount that a cap gave back of 13.5 den; with an application a cap of an hour.
  public static Map<String, Object> capCredit(String application, String limit, String amount) {
    Map<String, Object> credit = new LinkedHashMap<>();
    credit.put("transaction", "18");
    credit.put("span", application == null ? "day" : "hour");
    credit.put("application", application);
    credit.put("begin", application == null ? "2026-11-20T00:00:00Z" : "2026-11-20T10:00:00Z");
    credit.put("end", application == null ? "2026-11-21T00:00:00Z" : "2026-11-20T11:00:00Z");
    credit.put("tariffVersion", 1);
    credit.put("paidMicrodenarii", "13500000");
    credit.put("limitMicrodenarii", limit);
    credit.put("amountMicrodenarii", amount);
    credit.put("postedAt", "2026-11-21T10:20:00Z");
    return credit;
  }

  private void credit(HttpExchange exchange, String id) throws IOException {
    JsonNode body = JSON.readTree(exchange.getRequestBody());
    String amount = body.get("amountMicrodenarii").asString();
    received.add(
        new Posted(
            id,
            exchange.getRequestHeaders().getFirst("Idempotency-Key"),
            amount,
            body.get("reason").asString() + "/" + body.path("charge").asString("-")));
    if (refusingCredits) {
      problem(exchange, 409, "of charge c1 5 µden may still be refunded");
      return;
    }
    balances.merge(id, Long.parseLong(amount), Long::sum);
    credits.add(payment("credit", body.get("reason").asString(), null));
    send(exchange, 201, "{}");
  }

  private void chargesOf(HttpExchange exchange, String id) throws IOException {
    Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
    asked.add(exchange.getRequestURI().toString());
    if (query.getOrDefault("from", "").contains("yesterday")) {
      problem(exchange, 400, "from must be a time such as 2026-01-31T00:00:00Z");
      return;
    }
    int limit = Integer.parseInt(query.get("limit"));
    int from = Integer.parseInt(query.getOrDefault("cursor", "0"));
    List<Map<String, Object>> own =
        charges.stream()
            .filter(charge -> id.equals(charge.get("account")))
            .filter(charge ->
                !query.containsKey("application")
                    || query.get("application").equals(charge.get("application")))
            .toList();
    Map<String, Object> page = new LinkedHashMap<>();
    page.put("charges", own.stream().skip(from).limit(limit).toList());
    page.put("next", from + limit < own.size() ? Integer.toString(from + limit) : null);
    send(exchange, 200, JSON.writeValueAsString(page));
  }

  private synchronized void topUp(HttpExchange exchange, String id) throws IOException {
    JsonNode body = JSON.readTree(exchange.getRequestBody());
    String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
    Posted wanted =
        new Posted(
            id, key, body.get("amountMicrodenarii").asString(), body.get("reference").asString());
    received.add(wanted);
    Posted before = posted.putIfAbsent(key, wanted);
    if (before == null) {
      balances.merge(id, Long.parseLong(wanted.amount()), Long::sum);
      tell("event: balance\ndata: {}\n\n");
    }
    if (before == null || before.equals(wanted)) {
      send(exchange, before == null ? 201 : 200, "{\"amountMicrodenarii\":\"1\"}");
    } else {
      problem(exchange, 409, "this key was used with another amount");
    }
  }

  private void events(HttpExchange exchange) throws IOException {
    BlockingQueue<String> stream = new LinkedBlockingQueue<>();
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(": hello\n\n".getBytes(StandardCharsets.UTF_8));
      body.flush();
      streams.add(stream);
      for (String event = stream.take(); !event.equals(STREAM_ENDS); event = stream.take()) {
        body.write(event.getBytes(StandardCharsets.UTF_8));
        body.flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      streams.remove(stream);
    }
  }

  private static Map<String, String> query(String query) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : query.split("&")) {
      values.put(
          pair.split("=", 2)[0], URLDecoder.decode(pair.split("=", 2)[1], StandardCharsets.UTF_8));
    }
    return values;
  }

  /// All texts in the answers since the last reset, the longest first.
  public List<String> said() {
    return said.stream().sorted(Comparator.comparingInt(String::length).reversed()).toList();
  }

  private void remember(JsonNode answer) {
    if (answer.isString() && !answer.asString().isEmpty()) {
      said.add(answer.asString());
      said.add(answer.asString().replace('_', '&'));
    }
    for (String named : List.of("applications", "pushes")) {
      said.addAll(answer.path(named).propertyNames());
    }
    answer.forEach(this::remember);
  }

  /// The sentences of refusals since the last reset.
  public Set<String> refusals() {
    return refusals;
  }

  void problem(HttpExchange exchange, int status, String detail) throws IOException {
    refusals.add(detail);
    send(exchange, status, JSON.writeValueAsString(Map.of("status", status, "detail", detail)));
  }

  void send(HttpExchange exchange, int status, String body) throws IOException {
    if (body.startsWith("{") && body.length() < SAID_LENGTH_MAX) {
      remember(JSON.readTree(body));
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    endStreams();
    server.stop(0);
  }
}
