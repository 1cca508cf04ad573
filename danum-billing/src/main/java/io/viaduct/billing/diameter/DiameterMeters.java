package io.viaduct.billing.diameter;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.call.CallAnswer;
import io.viaduct.billing.call.CallOutcome;
import io.viaduct.service.operations.LabelledCounters;

/// Counts the requests of calls by result.
final class DiameterMeters {
  /// Results of Re-Auth-Requests to nodes.
  enum Reauthorisation {
    ACCEPTED,
    REFUSED,
    UNANSWERED
  }

  private final LabelledCounters<CallOutcome> answers;
  private final LabelledCounters<Reauthorisation> reauthorisations;
  private final Counter copies;
  private final Counter databaseAway;
  private final Counter lapsed;

  DiameterMeters(MeterRegistry registry) {
    answers =
        LabelledCounters.register(
            registry,
            "viaduct_call_requests",
            "Requests of other nodes about calls, by result",
            "result",
            CallOutcome.class);
    reauthorisations =
        LabelledCounters.register(
            registry,
            "viaduct_call_reauthorisations",
            "Re-Auth-Requests to nodes whose calls wait for credit, by result",
            "result",
            Reauthorisation.class);
    copies =
        Counter.builder("viaduct_call_requests_repeated")
            .description("Copies of requests about calls, which charged nothing")
            .register(registry);
    databaseAway =
        Counter.builder("viaduct_call_requests_deferred")
            .description("Requests about calls that were answered with 3004, without the database")
            .register(registry);
    lapsed =
        Counter.builder("viaduct_calls_lapsed")
            .description("Calls that were given up, because their node asked no more")
            .register(registry);
  }

  void answered(CallAnswer answer) {
    if (answer.isCopy()) {
      copies.increment();
    } else {
      answers.increment(answer.outcome());
    }
  }

  void reauthorised(Reauthorisation result) {
    reauthorisations.increment(result);
  }

  void databaseAway() {
    databaseAway.increment();
  }

  void lapsed(int calls) {
    lapsed.increment(calls);
  }
}
