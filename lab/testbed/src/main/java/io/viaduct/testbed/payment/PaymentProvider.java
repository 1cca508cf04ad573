package io.viaduct.testbed.payment;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/// A payment provider that takes no money. Its pay page has the buttons *Pay* and *Refuse*; either
/// one is told to billing by a signed event.
final class PaymentProvider implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int BODY_MAX = 4096;

  private static final String PAGE =
      """
      <!doctype html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>Test provider</title></head>
      <body>
      <main>
      <h1>%s</h1>
      %s
      </main>
      </body>
      </html>
      """;

  private static final String FORM =
      """
      <p>%s denarii for the account %s. This provider takes no money: it is for trying.</p>
      <form method="post">
      <input type="hidden" name="payment" value="%s">
      <input type="hidden" name="account" value="%s">
      <input type="hidden" name="amount" value="%s">
      <button name="type" value="payment.paid">Pay</button>
      <button name="type" value="payment.failed">Refuse</button>
      </form>
      """;

  private final HttpServer server;
  private final EventDelivery delivery;
  private final Consumer<String> log;
  private final List<CompletableFuture<EventDelivery.Result>> deliveries =
      new CopyOnWriteArrayList<>();

  /// @param address where it listens; port 0 takes a free one
  /// @param log gets a line for each event
  PaymentProvider(InetSocketAddress address, EventDelivery delivery, Consumer<String> log)
      throws IOException {
    this.delivery = delivery;
    this.log = log;
    server = HttpServer.create(address, 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/pay", this::pay);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /// Returns the deliveries of all events so far.
  List<CompletableFuture<EventDelivery.Result>> deliveries() {
    return List.copyOf(deliveries);
  }

  private void pay(HttpExchange exchange) throws IOException {
    try (exchange) {
      boolean isForm = exchange.getRequestMethod().equals("GET");
      String query =
          isForm
              ? exchange.getRequestURI().getRawQuery()
              : new String(exchange.getRequestBody().readNBytes(BODY_MAX), UTF_8);
      Map<String, String> values = values(query == null ? "" : query);
      if (!values.keySet().containsAll(List.of("payment", "account", "amount"))
          || !values.getOrDefault("amount", "").matches("[0-9]{1,16}")) {
        answer(
            exchange,
            400,
            PAGE.formatted("Not a payment", "<p>Start a payment at the shop first.</p>"));
      } else if (isForm) {
        answer(exchange, 200, PAGE.formatted("Pay", form(values)));
      } else {
        tell(values);
        answer(
            exchange,
            200,
            PAGE.formatted(
                values.getOrDefault("type", "").equals("payment.paid") ? "Paid" : "Not paid",
                "<p>The shop is told. Close this page.</p>"));
      }
    }
  }

  private static String form(Map<String, String> values) {
    return FORM.formatted(
        new BigDecimal(values.getOrDefault("amount", ""))
            .movePointLeft(6)
            .stripTrailingZeros()
            .toPlainString(),
        escaped(values.getOrDefault("account", "")),
        escaped(values.getOrDefault("payment", "")),
        escaped(values.getOrDefault("account", "")),
        escaped(values.getOrDefault("amount", "")));
  }

  private void tell(Map<String, String> values) {
    String id = "evt_" + UUID.randomUUID();
    String body =
        JSON.writeValueAsString(
            Map.of(
                "id",
                id,
                "type",
                values.getOrDefault("type", "payment.failed"),
                "payment",
                values.getOrDefault("payment", ""),
                "account",
                values.getOrDefault("account", ""),
                "amountMicrodenarii",
                values.getOrDefault("amount", "")));
    CompletableFuture<EventDelivery.Result> result = delivery.deliver(body);
    deliveries.add(result);
    var unused =
        result.thenAccept(end ->
            log.accept(
                "%s of payment %s: %s after %d deliveries, %s"
                    .formatted(
                        id,
                        values.getOrDefault("payment", ""),
                        end.isAccepted() ? "accepted" : "given up",
                        end.attempts(),
                        end.answer())));
  }

  private static Map<String, String> values(String query) {
    return Arrays.stream(query.split("&"))
        .map(pair -> pair.split("=", 2))
        .filter(pair -> pair.length == 2)
        .collect(
            Collectors.toMap(
                pair -> pair[0], pair -> URLDecoder.decode(pair[1], UTF_8), (first, _) -> first));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  private static void answer(HttpExchange exchange, int status, String page) throws IOException {
    byte[] bytes = page.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
    exchange
        .getResponseHeaders()
        .set("Content-Security-Policy", "default-src 'none'; form-action 'self'");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
