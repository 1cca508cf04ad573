package io.viaduct.billing.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.viaduct.billing.configuration.WebhooksSettings;
import io.viaduct.billing.outbox.Deliveries.Claimed;
import io.viaduct.billing.outbox.Deliveries.Outcome;
import io.viaduct.billing.webhook.WebhookSignature;
import io.viaduct.service.operations.LabelledCounters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.util.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import tools.jackson.databind.json.JsonMapper;

/// Sends what is due to the endpoints: one thread for each endpoint, so that a slow one holds up no
/// other. Redirects are not followed, and no body of an answer is read.
final class WebhookSender implements AutoCloseable {
  static final String EVENT_HEADER = "Viaduct-Event";

  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final JsonMapper JSON = JsonMapper.shared();

  private final WebhooksSettings settings;
  private final Endpoints endpoints;
  private final Deliveries deliveries;
  private final InstantSource clock;
  private final LabelledCounters<Deliveries.State> outcomes;
  private final CloseableHttpClient http;
  private final Set<Long> busy = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("webhook-", 0).factory());

  WebhookSender(
      WebhooksSettings settings,
      TargetRules targets,
      Endpoints endpoints,
      Deliveries deliveries,
      InstantSource clock,
      LabelledCounters<Deliveries.State> outcomes) {
    this.settings = settings;
    this.endpoints = endpoints;
    this.deliveries = deliveries;
    this.clock = clock;
    this.outcomes = outcomes;
    Timeout deadline = Timeout.of(settings.deadline());
    http =
        HttpClients.custom()
            .setConnectionManager(
                PoolingHttpClientConnectionManagerBuilder.create()
                    .setDnsResolver(targets)
                    .setDefaultSocketConfig(SocketConfig.custom().setSoTimeout(deadline).build())
                    .setDefaultConnectionConfig(
                        ConnectionConfig.custom()
                            .setConnectTimeout(deadline)
                            .setSocketTimeout(deadline)
                            .build())
                    .build())
            .setDefaultRequestConfig(
                RequestConfig.custom()
                    .setResponseTimeout(deadline)
                    .setConnectionRequestTimeout(deadline)
                    .build())
            .setUserAgent("viaduct-billing")
            .disableRedirectHandling()
            .disableAutomaticRetries()
            .disableCookieManagement()
            .disableAuthCaching()
            .build();
  }

  /// Begins what is due.
  void sendDue() {
    Map<Long, List<Claimed>> claimed =
        deliveries.claim(busy, clock.instant()).stream()
            .collect(Collectors.groupingBy(Claimed::endpoint));
    claimed.forEach((endpoint, all) -> {
      busy.add(endpoint);
      threads.execute(() -> {
        try {
          all.forEach(this::send);
        } catch (DataAccessException e) {
          LOG.warn("webhook deliveries wait for the database: {}", e.toString());
        } finally {
          busy.remove(endpoint);
        }
      });
    });
  }

  private void send(Claimed delivery) {
    Outcome outcome = post(delivery);
    outcomes.increment(
        deliveries.finish(delivery, outcome, settings.attempts(), settings.failures()));
  }

  private Outcome post(Claimed delivery) {
    byte[] body = body(delivery).getBytes(UTF_8);
    HttpPost request = new HttpPost(delivery.url());
    request.setEntity(new ByteArrayEntity(body, ContentType.APPLICATION_JSON));
    request.setHeader("Idempotency-Key", Long.toString(delivery.event()));
    request.setHeader(EVENT_HEADER, delivery.kind());
    request.setHeader(
        WebhookSignature.HEADER,
        WebhookSignature.signAll(
            endpoints.secrets(delivery.endpoint(), clock.instant()), clock.instant(), body));
    try {
      int status = http.execute(request, answer -> answer.getCode());
      return new Outcome(status, status / 100 == 2 ? "" : "status " + status);
    } catch (IOException | UncheckedIOException e) {
      String why = e.toString();
      return new Outcome(
          null, why.substring(0, Math.min(why.length(), Deliveries.ERROR_LENGTH_MAX)));
    }
  }

  private static String body(Claimed delivery) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("id", Long.toString(delivery.event()));
    body.put("kind", delivery.kind());
    body.put("account", delivery.account());
    body.put("createdAt", delivery.createdAt().toString());
    body.put("data", JSON.readTree(delivery.body()));
    return JSON.writeValueAsString(body);
  }

  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    http.close();
  }
}
