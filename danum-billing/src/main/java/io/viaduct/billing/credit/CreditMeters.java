package io.viaduct.billing.credit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.usage.v1.CreditResult;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Counts answers and pushes by result, and released grants. Measures the time of decisions.
public final class CreditMeters {
  private static final Set<CreditResult> RESULTS =
      EnumSet.complementOf(
          EnumSet.of(CreditResult.UNRECOGNIZED, CreditResult.CREDIT_RESULT_UNSPECIFIED));

  private static final String PUSHES = "viaduct_credit_pushes";

  /// The results of a delivery by the webhook.
  enum Delivery {
    DELIVERED,
    /// It is repeated later.
    FAILED,
    /// It has failed too often.
    GIVEN_UP
  }

  private final MeterRegistry registry;
  private final LabelledCounters<Delivery> deliveries;
  private final LabelledCounters<CreditResult> answers;
  private final LabelledCounters<CreditResult> pushes;
  private final Counter pushesFailed;
  private final Counter reauthorisations;
  private final Counter lapsed;
  private final Timer decisions;
  private volatile double reserved;
  private volatile double belowLimit;

  CreditMeters(MeterRegistry registry) {
    this.registry = registry;
    answers =
        LabelledCounters.register(
            registry,
            "viaduct_credit_answers",
            "Answers to requests for credit, by result",
            "result",
            CreditResult.class,
            RESULTS);
    pushes =
        LabelledCounters.register(
            registry,
            PUSHES,
            "Changes of credit that were pushed to a session, by result",
            "result",
            CreditResult.class,
            RESULTS);
    deliveries =
        LabelledCounters.register(
            registry,
            "viaduct_credit_notices",
            "Deliveries of notices by the webhook, by outcome",
            "outcome",
            Delivery.class);
    pushesFailed =
        counter(
            "viaduct_credit_pushes_failed",
            "Changes of credit that could not be looked at; their sessions ask again");
    reauthorisations =
        counter(
            "viaduct_credit_reauthorisations",
            "Sessions that were asked to give back credit that another application waits for");
    lapsed =
        counter(
            "viaduct_credit_grants_lapsed",
            "Grants released because their time was over, and sessions that were forgotten");
    decisions =
        Timer.builder("viaduct_credit_decision")
            .description("Time of deciding about a request for credit")
            .serviceLevelObjectives(
                Duration.ofMillis(5),
                Duration.ofMillis(25),
                Duration.ofMillis(100),
                Duration.ofMillis(500),
                Duration.ofSeconds(5))
            .register(registry);
    Gauge.builder("viaduct_credit_reserved_microdenarii", () -> reserved)
        .description("Sum of all reservations")
        .register(registry);
    Gauge.builder("viaduct_credit_below_limit_microdenarii", () -> belowLimit)
        .description("Sum of what balances are below their credit limits")
        .register(registry);
  }

  private Counter counter(String name, String description) {
    return Counter.builder(name).description(description).register(registry);
  }

  /// Shows the number of sessions.
  void sessions(CreditSessions sessions) {
    Gauge.builder("viaduct_credit_sessions", sessions, CreditSessions::size)
        .description("Sessions that ask this billing for credit")
        .register(registry);
    Gauge.builder("viaduct_credit_sessions_max", () -> CreditSessions.SESSIONS_MAX)
        .description("Most sessions that may ask this billing for credit")
        .register(registry);
  }

  <T> T deciding(Supplier<T> decision) {
    return decisions.record(decision);
  }

  void answered(CreditResult result) {
    answers.increment(result);
  }

  void pushed(CreditResult result) {
    pushes.increment(result);
  }

  /// Returns the pushes of this instance since its start, by result, with the labels of the metric.
  public Map<String, Long> pushes() {
    Map<String, Long> counts = new TreeMap<>();
    for (CreditResult result : RESULTS) {
      String label = MetricLabel.of(result);
      counts.put(label, (long) registry.get(PUSHES).tag("result", label).counter().count());
    }
    return counts;
  }

  void delivered(Delivery outcome) {
    deliveries.increment(outcome);
  }

  void pushFailed() {
    pushesFailed.increment();
  }

  void reauthorised() {
    reauthorisations.increment();
  }

  void lapsed(int grants) {
    lapsed.increment(grants);
  }

  void belowLimit(long microdenarii) {
    belowLimit = microdenarii;
  }

  void reserved(long microdenarii) {
    reserved = microdenarii;
  }
}
