package io.viaduct.testbed.payment;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Delivers an event to billing until billing accepts it, with growing pauses. Each delivery is
/// signed anew. The signature is computed here without billing's code, as a provider would do it.
final class EventDelivery {
  /// Deliveries of one event until it is given up. With a first pause of one second they take a
  /// quarter of an hour.
  static final int ATTEMPTS_MAX = 10;

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(DEADLINE).build();
  private final URI events;
  private final SecretKeySpec key;
  private final Duration firstPause;
  private final InstantSource clock;

  /// @param billing billing's REST interface
  /// @param secret secret of the signature
  /// @param firstPause pause after the first delivery that failed; it doubles
  EventDelivery(URI billing, String secret, Duration firstPause, InstantSource clock) {
    events = billing.resolve("/api/v1/payments/events");
    key = new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256");
    this.firstPause = firstPause;
    this.clock = clock;
  }

  /// The end of a delivery.
  ///
  /// @param attempts deliveries that were made
  /// @param answer billing's last answer, or why there was none
  record Result(boolean isAccepted, int attempts, String answer) {}

  /// Delivers an event in the background.
  CompletableFuture<Result> deliver(String body) {
    CompletableFuture<Result> result = new CompletableFuture<>();
    Thread.ofVirtual().name("event-delivery").start(() -> result.complete(deliverNow(body)));
    return result;
  }

  private Result deliverNow(String body) {
    Duration pause = firstPause;
    String answer = "";
    for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      try {
        HttpResponse<String> response =
            http.send(request(body), HttpResponse.BodyHandlers.ofString());
        answer = response.statusCode() + " " + response.body();
        if (response.statusCode() / 100 == 2) {
          return new Result(true, attempt, answer);
        }
      } catch (IOException e) {
        answer = e.toString();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return new Result(false, attempt, "interrupted");
      }
      if (attempt < ATTEMPTS_MAX && !paused(pause)) {
        return new Result(false, attempt, "interrupted");
      }
      pause = pause.multipliedBy(2);
    }
    return new Result(false, ATTEMPTS_MAX, answer);
  }

  private static boolean paused(Duration pause) {
    try {
      Thread.sleep(pause);
      return true;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private HttpRequest request(String body) {
    long seconds = clock.instant().getEpochSecond();
    return HttpRequest.newBuilder(events)
        .timeout(DEADLINE)
        .header("Content-Type", "application/json")
        .header("Viaduct-Signature", "t=%d,v1=%s".formatted(seconds, sign(seconds + "." + body)))
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private String sign(String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HMAC-SHA256", e);
    }
  }
}
