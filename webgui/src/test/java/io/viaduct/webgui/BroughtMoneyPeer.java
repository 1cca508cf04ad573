package io.viaduct.webgui;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Billing's part for vouchers and payments, as its description says.
public final class BroughtMoneyPeer {
  private static final JsonMapper JSON = JsonMapper.shared();

  private static final String TAG = "\"7\"";

  private final PeerServer peer;

  /// Amount of each open voucher, by its code.
  public final Map<String, Long> vouchers = new ConcurrentHashMap<>();

  /// Codes that were redeemed.
  public final List<String> redeemed = new CopyOnWriteArrayList<>();

  /// Addresses that codes came from.
  public final List<String> from = new CopyOnWriteArrayList<>();

  public final List<Map<String, Object>> payments = new CopyOnWriteArrayList<>();
  public final List<Map<String, Object>> batches = new CopyOnWriteArrayList<>();
  public final Map<String, Object> made = new ConcurrentHashMap<>();
  public final List<String> takenBack = new CopyOnWriteArrayList<>();

  /// Settings of a user: `caps` or `alert`, and the body.
  public final List<String> rules = new CopyOnWriteArrayList<>();

  public final List<Map<String, Object>> notices = new CopyOnWriteArrayList<>();
  public volatile boolean changedMeanwhile;
  public volatile boolean possible;
  public volatile int redemptionStatus;

  BroughtMoneyPeer(PeerServer peer) {
    this.peer = peer;
  }

  void reset() {
    vouchers.clear();
    redeemed.clear();
    from.clear();
    payments.clear();
    batches.clear();
    made.clear();
    takenBack.clear();
    rules.clear();
    notices.clear();
    changedMeanwhile = false;
    possible = true;
    redemptionStatus = 0;
  }

  boolean answers(HttpExchange exchange, String method, String path) throws IOException {
    String account = path.replaceAll("/accounts/([^/]+)/.*", "$1");
    if (path.matches("/accounts/[^/]+/credit")) {
      exchange.getResponseHeaders().set("ETag", TAG); // its body is the peer's own
      return false;
    }
    if (path.matches("/accounts/[^/]+/credit/(caps|alert)")) {
      rules(exchange, path.replaceAll(".*/", ""));
    } else if (path.endsWith("/credit/notices")) {
      peer.send(exchange, 200, JSON.writeValueAsString(Map.of("notices", notices)));
    } else if (path.endsWith("/redemptions")) {
      redeem(exchange, account, body(exchange).get("code").asString());
    } else if (path.matches("/accounts/[^/]+/payments") && method.equals("POST")) {
      start(exchange, body(exchange).get("amountMicrodenarii").asString());
    } else if (path.matches("/accounts/[^/]+/payments")) {
      Map<String, Object> list = new LinkedHashMap<>();
      list.put("payments", payments);
      list.put("possible", possible);
      list.put("leastMicrodenarii", "1000000");
      list.put("mostMicrodenarii", "1000000000");
      peer.send(exchange, 200, JSON.writeValueAsString(list));
    } else if (path.equals("/vouchers") && method.equals("POST")) {
      make(exchange, body(exchange));
    } else if (path.equals("/vouchers")) {
      peer.send(exchange, 200, JSON.writeValueAsString(Map.of("batches", batches)));
    } else if (path.matches("/vouchers/[^/]+/return")) {
      takenBack.add(path.split("/")[2] + ": " + body(exchange).get("reason").asString());
      peer.send(exchange, 200, JSON.writeValueAsString(batch("12", 3, "5000000", 0)));
    } else {
      return false;
    }
    return true;
  }

  private void rules(HttpExchange exchange, String what) throws IOException {
    if (!TAG.equals(exchange.getRequestHeaders().getFirst("If-Match")) || changedMeanwhile) {
      peer.problem(exchange, 412, "limit or caps have changed since: read them again");
    } else {
      rules.add(what + " " + body(exchange));
      peer.send(exchange, 200, "{}");
    }
  }

  private static JsonNode body(HttpExchange exchange) throws IOException {
    return JSON.readTree(exchange.getRequestBody());
  }

  private void redeem(HttpExchange exchange, String account, String code) throws IOException {
    from.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Forwarded-For")));
    Long amount = vouchers.remove(code);
    if (redemptionStatus != 0) {
      peer.problem(exchange, redemptionStatus, "voucher 12-1 expired at 2026-01-01T00:00:00Z");
    } else if (amount == null) {
      peer.problem(exchange, 422, "no voucher has this code");
    } else {
      redeemed.add(code);
      peer.balances.merge(account, amount, Long::sum);
      peer.send(
          exchange,
          201,
          JSON.writeValueAsString(
              Map.of(
                  "transaction",
                  "1",
                  "account",
                  account,
                  "serial",
                  "12-1",
                  "amountMicrodenarii",
                  amount.toString())));
    }
  }

  private void start(HttpExchange exchange, String amount) throws IOException {
    if (Long.parseLong(amount) > 1_000_000_000) {
      peer.problem(exchange, 400, "amountMicrodenarii must be 1000000 to 1000000000");
      return;
    }
    Map<String, Object> payment = payment("started", amount);
    payments.addFirst(payment);
    peer.send(exchange, 201, JSON.writeValueAsString(payment));
  }

  /// A payment in a state.
  public static Map<String, Object> payment(String state, String amount) {
    Map<String, Object> payment = new LinkedHashMap<>();
    payment.put("id", "0123456789abcdef0123456789abcdef");
    payment.put("account", "alice");
    payment.put("amountMicrodenarii", amount);
    payment.put("startedAt", "2026-11-20T10:00:00Z");
    payment.put("state", state);
    payment.put("transaction", state.equals("paid") ? "17" : null);
    payment.put(
        "payUrl",
        state.equals("paid") ? null : "https://pay.example/checkout?payment=0123&account=alice");
    return payment;
  }

  private void make(HttpExchange exchange, JsonNode wanted) throws IOException {
    String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
    boolean isNew = made.put(key, wanted.toString()) == null;
    Map<String, Object> batch =
        batch(
            "12",
            wanted.get("count").asInt(),
            wanted.get("amountMicrodenarii").asString(),
            wanted.get("count").asInt());
    if (isNew) {
      batches.addFirst(batch);
    }
    peer.send(
        exchange,
        isNew ? 201 : 200,
        JSON.writeValueAsString(
            Map.of(
                "batch",
                batch,
                "vouchers",
                isNew
                    ? List.of(
                        Map.of("serial", "12-1", "code", "7KQ2M-0XW9T-H3B4C-N8PRD"),
                        Map.of("serial", "12-2", "code", "8KQ2M-0XW9T-H3B4C-N8PRD"))
                    : List.of())));
  }

  /// A batch of vouchers.
  public static Map<String, Object> batch(String id, int count, String amount, int open) {
    Map<String, Object> batch = new LinkedHashMap<>();
    batch.put("id", id);
    batch.put("count", count);
    batch.put("amountMicrodenarii", amount);
    batch.put("expiresAt", "2027-12-31T23:00:00Z");
    batch.put("note", "kiosk at the station");
    batch.put("createdBy", "olga");
    batch.put("createdAt", "2026-11-20T10:00:00Z");
    batch.put("open", open);
    batch.put("redeemed", count - open);
    batch.put("expired", 0);
    batch.put("returned", 0);
    return batch;
  }
}
