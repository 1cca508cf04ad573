package io.viaduct.webgui.login;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.MetricLabel;
import java.util.EnumMap;
import java.util.Map;

/// Counts every request that was refused, by reason: `viaduct_webgui_requests_refused_total`.
public final class RefusedRequests {
  /// Reason of a refused request.
  public enum Reason {
    /// No or a wrong CSRF token.
    CSRF,
    /// No browser session, or it ended.
    NOT_SIGNED_IN,
    /// Another account's page, or an operator's.
    NOT_ALLOWED,
    /// More live pages than `limits.streams`.
    STREAMS,
    /// More live pages of one session than `limits.streams-per-session`.
    STREAMS_OF_SESSION,
    /// A visitor more than `limits.sessions`.
    SESSIONS,
    /// A form or an address that no page of ours makes.
    BAD_REQUEST
  }

  private final Map<Reason, Counter> counters = new EnumMap<>(Reason.class);

  public RefusedRequests(MeterRegistry meters) {
    for (Reason reason : Reason.values()) {
      counters.put(
          reason,
          Counter.builder("viaduct_webgui_requests_refused")
              .description("Requests that changed nothing and showed nothing, by reason")
              .tag("reason", MetricLabel.of(reason))
              .register(meters));
    }
  }

  public void count(Reason reason) {
    Counter counter = counters.get(reason);
    if (counter != null) {
      counter.increment();
    }
  }
}
