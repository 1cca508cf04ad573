package io.viaduct.testbed.payment;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.testbed.provisioning.RealBilling;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// A user pays at the provider's page, and its event tops up the account at a real billing.
class PaymentProviderTest {
  private static final String SECRET = "provider-secret";
  private static final Pattern FIELD =
      Pattern.compile("<input type=\"hidden\" name=\"(\\w+)\" value=\"([^\"]*)\">");

  private final HttpClient http = HttpClient.newHttpClient();

  private HttpResponse<String> send(HttpRequest request) throws Exception {
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  // Presses a button of the pay page as a browser does: with its own fields.
  private HttpResponse<String> press(URI page, String button) throws Exception {
    HttpResponse<String> shown = send(HttpRequest.newBuilder(page).build());
    assertThat(shown.statusCode()).as(shown.body()).isEqualTo(200);
    StringBuilder form = new StringBuilder("type=" + button);
    Matcher field = FIELD.matcher(shown.body());
    while (field.find()) {
      form.append('&')
          .append(field.group(1))
          .append('=')
          .append(URLEncoder.encode(field.group(2), StandardCharsets.UTF_8));
    }
    return send(
        HttpRequest.newBuilder(page)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form.toString()))
            .build());
  }

  @Test
  void aPaymentAtTheProviderTopsUpTheAccountAlthoughBillingWasAwayAtFirst(@TempDir Path folder)
      throws Exception {
    Path secret = TestAuthority.secret(folder.resolve("provider.secret"), SECRET);
    AtomicInteger failures = new AtomicInteger(2);
    HttpServer front =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    front.start();
    URI frontUrl = URI.create("http://127.0.0.1:" + front.getAddress().getPort());
    try (PaymentProvider provider =
            new PaymentProvider(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new EventDelivery(
                    frontUrl, SECRET, Duration.ofMillis(20), InstantSource.system()),
                _ -> {});
        RealBilling billing =
            new RealBilling(
                folder,
                new TestAuthority(folder.resolve("operator")),
                "ims.test",
                "payments: {page: 'http://127.0.0.1:%d/pay', secret-file: %s}"
                    .formatted(provider.port(), secret))) {
      // What a proxy in front of billing does while billing is away, and afterwards.
      front.createContext(
          "/",
          exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            int status = 503;
            if (failures.getAndDecrement() <= 0) {
              try {
                status =
                    send(
                            HttpRequest.newBuilder(
                                    billing.rest().resolve(exchange.getRequestURI().getPath()))
                                .header("Content-Type", "application/json")
                                .header(
                                    "Viaduct-Signature",
                                    exchange.getRequestHeaders().getFirst("Viaduct-Signature"))
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                                .build())
                        .statusCode();
              } catch (Exception e) {
                status = 502;
              }
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
          });
      billing.send(
          "POST", "/accounts", "{\"id\":\"alice\",\"password\":\"alice-secret\",\"role\":\"user\"}");
      String token = billing.logIn("alice", "alice-secret");
      JsonNode payment =
          billing.send(
              "POST",
              "/accounts/alice/payments",
              token,
              "{\"amountMicrodenarii\":\"25000000\"}",
              Map.of("Idempotency-Key", UUID.randomUUID().toString()));
      URI page = URI.create(payment.get("payUrl").asString());
      assertThat(send(HttpRequest.newBuilder(page).build()).body())
          .contains("25 denarii for the account alice");

      assertThat(press(page, "payment.paid").body()).contains("<h1>Paid</h1>");
      EventDelivery.Result delivered =
          provider.deliveries().getFirst().get(30, TimeUnit.SECONDS);
      assertThat(delivered.isAccepted()).as(delivered.toString()).isTrue();
      assertThat(delivered.attempts()).isEqualTo(3);
      JsonNode after =
          billing.send("GET", "/accounts/alice/payments", token, "", Map.of()).at("/payments/0");
      assertThat(after.get("state").asString()).isEqualTo("paid");
      JsonNode balance = billing.send("GET", "/accounts/alice/balance", "");
      assertThat(balance.get("postedMicrodenarii").asString()).isEqualTo("25000000");
      assertThat(billing.send("GET", "/ledger/verification", "").get("holds").asBoolean()).isTrue();
    } finally {
      front.stop(0);
    }
  }

  @Test
  void aPageWithoutAPaymentSaysWhatToDo() throws Exception {
    try (PaymentProvider provider =
        new PaymentProvider(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new EventDelivery(
                URI.create("http://127.0.0.1:1"),
                SECRET,
                Duration.ofMillis(1),
                InstantSource.system()),
            _ -> {})) {
      URI page = URI.create("http://127.0.0.1:" + provider.port() + "/pay?amount=x");
      HttpResponse<String> answer = send(HttpRequest.newBuilder(page).build());
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("Start a payment at the shop first");
    }
  }
}
