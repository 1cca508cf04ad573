package io.viaduct.billing.credit;

import io.viaduct.billing.configuration.WebhookSettings;
import io.viaduct.billing.credit.CreditMeters.Delivery;
import io.viaduct.billing.webhook.WebhookSignature;
import io.viaduct.service.configuration.Secret;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/// Delivers notices by HTTP POST, signed with HMAC-SHA256, at least once. A failed delivery is
/// repeated with growing pauses, up to a number of attempts. Several billing instances may deliver
/// at the same time: each claims its notices in the database.
final class NoticeWebhook {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);
  private static final int NOTICES_OF_RUN = 16;
  private static final int ERROR_LENGTH_MAX = 256;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final WebhookSettings settings;
  private final WebhookSignature signature;
  private final JdbcClient jdbc;
  private final InstantSource clock;
  private final CreditMeters meters;
  private final HttpClient http;

  private NoticeWebhook(
      WebhookSettings settings, JdbcClient jdbc, InstantSource clock, CreditMeters meters) {
    this.settings = settings;
    signature = new WebhookSignature(Secret.of(settings.secretFile()));
    this.jdbc = jdbc;
    this.clock = clock;
    http =
        HttpClient.newBuilder()
            .connectTimeout(settings.deadline())
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    this.meters = meters;
  }

  /// Returns the webhook; empty if none is configured.
  static Optional<NoticeWebhook> of(
      WebhookSettings settings, JdbcClient jdbc, InstantSource clock, CreditMeters meters) {
    return settings.url().isEmpty()
        ? Optional.empty()
        : Optional.of(new NoticeWebhook(settings, jdbc, clock, meters));
  }

  /// A notice as it is sent.
  private record Body(
      String id, String account, String state, String creditMicrodenarii, Instant noticedAt) {}

  private record Claimed(long id, int attempts, Body body) {}

  /// Delivers the notices whose time has come.
  void deliverDue() {
    for (List<Claimed> claimed = claim(); !claimed.isEmpty(); claimed = claim()) {
      claimed.forEach(this::deliver);
    }
  }

  // A claimed notice becomes due again by itself, if this process dies meanwhile.
  private List<Claimed> claim() {
    Instant now = clock.instant();
    return jdbc
        .sql(
            """
            update credit_notice set attempts = attempts + 1, next_attempt_at =
              :now::timestamptz + least(:first * power(2, attempts), :longest) * interval '1 second'
            where id in (select id from credit_notice where delivery = 'DUE' and next_attempt_at <= :now::timestamptz
              order by next_attempt_at limit :most for update skip locked)
            returning id, attempts, account, state, credit_microdenarii, noticed_at
            """)
        .param("now", Timestamp.from(now))
        .param("first", (double) FIRST_PAUSE.toSeconds())
        .param("longest", (double) LONGEST_PAUSE.toSeconds())
        .param("most", NOTICES_OF_RUN)
        .query((row, _) ->
            new Claimed(
                row.getLong(1),
                row.getInt(2),
                new Body(
                    row.getString(1),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getTimestamp(6).toInstant())))
        .list()
        .stream()
        .sorted(Comparator.comparingLong(Claimed::id)) // an update returns rows in no order
        .toList();
  }

  private void deliver(Claimed notice) {
    String error = post(notice.body());
    Delivery outcome =
        error.isEmpty()
            ? Delivery.DELIVERED
            : notice.attempts() < settings.attempts() ? Delivery.FAILED : Delivery.GIVEN_UP;
    jdbc.sql("update credit_notice set delivery = ?, last_error = ? where id = ?")
        .param(outcome == Delivery.FAILED ? "DUE" : outcome.name())
        .param(error)
        .param(notice.id())
        .update();
    meters.delivered(outcome);
  }

  /// @return empty if the receiver has accepted it, else the reason
  private String post(Body body) {
    byte[] json = JSON.writeValueAsBytes(body);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(settings.url()))
            .timeout(settings.deadline())
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", body.id())
            .header(WebhookSignature.HEADER, signature.sign(clock.instant(), json))
            .POST(HttpRequest.BodyPublishers.ofByteArray(json))
            .build();
    try {
      int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      return status >= 200 && status < 300 ? "" : "status " + status;
    } catch (IOException e) {
      String why = e.toString();
      return why.substring(0, Math.min(why.length(), ERROR_LENGTH_MAX));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "billing was stopping";
    }
  }
}
