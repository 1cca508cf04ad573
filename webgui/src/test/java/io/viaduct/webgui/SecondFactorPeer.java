package io.viaduct.webgui;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Billing's part for second factors, as its description says. The right code is 123456.
public final class SecondFactorPeer {
  public static final String CODE = "123456";
  public static final String SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  public static final String URI =
      "otpauth://totp/Viaduct%20ims.test:olga?secret="
          + SECRET
          + "&issuer=Viaduct%20ims.test&algorithm=SHA1&digits=6&period=30";
  private static final JsonMapper JSON = JsonMapper.shared();

  private final PeerServer peer;

  /// Users whose second factor is on.
  public final Set<String> on = ConcurrentHashMap.newKeySet();

  /// Users who must have one.
  public final Set<String> required = ConcurrentHashMap.newKeySet();

  /// Users whose next codes must wait.
  public final Set<String> blocked = ConcurrentHashMap.newKeySet();

  /// Orders of pages.
  public final List<String> orders = new CopyOnWriteArrayList<>();

  SecondFactorPeer(PeerServer peer) {
    this.peer = peer;
  }

  void reset() {
    on.clear();
    required.clear();
    blocked.clear();
    orders.clear();
  }

  boolean isOn(String user) {
    return on.contains(user);
  }

  boolean lacks(String user) {
    return required.contains(user) && !isOn(user);
  }

  /// Answers the second step of a log-in.
  void code(HttpExchange exchange) throws IOException {
    JsonNode body = JSON.readTree(exchange.getRequestBody());
    String user = body.get("challenge").asString().replace("challenge-of-", "");
    if (!on.contains(user)) {
      peer.problem(exchange, 401, "the log-in is over");
    } else if (blocked.contains(user)) {
      peer.problem(exchange, 429, "too many wrong codes");
    } else if (!body.get("code").asString().equals(CODE)) {
      peer.problem(exchange, 403, "the code is not right");
    } else {
      peer.begin(exchange, user);
    }
  }

  /// Answers requests about the second factor of an account.
  void answer(HttpExchange exchange, String method, String account, String rest)
      throws IOException {
    String sent = new String(exchange.getRequestBody().readAllBytes());
    String code = sent.isEmpty() ? "" : JSON.readTree(sent).path("code").asString("");
    if (!method.equals("GET")) {
      orders.add(method + " " + account + rest);
    }
    if (method.equals("GET")) {
      peer.send(
          exchange,
          200,
          "{\"state\":\"%s\",\"required\":%s,\"recoveryCodes\":10}"
              .formatted(isOn(account) ? "on" : "off", required.contains(account)));
    } else if (method.equals("DELETE")) {
      on.remove(account);
      exchange.sendResponseHeaders(204, -1);
    } else if (method.equals("POST") && rest.isEmpty()) {
      peer.send(exchange, 201, "{\"secret\":\"%s\",\"uri\":\"%s\"}".formatted(SECRET, URI));
    } else if (!code.equals(CODE)) {
      peer.problem(exchange, 403, "the code is not right");
    } else if (rest.equals("/end")) {
      on.remove(account);
      exchange.sendResponseHeaders(204, -1);
    } else {
      on.add(account);
      peer.send(exchange, 200, "{\"recoveryCodes\":[\"ABCD-EFGH-IJKL-MNOP\"]}");
    }
  }
}
