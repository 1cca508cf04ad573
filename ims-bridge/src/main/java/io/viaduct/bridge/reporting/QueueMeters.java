package io.viaduct.bridge.reporting;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.LabelledCounters;

/// Counts reports that the broker could not take, and verdicts that came back by it.
public final class QueueMeters {
  /// Reasons for which a report is deferred on its way to the broker.
  enum Deferral {
    /// The bridge does not read verdicts yet.
    STARTING,
    /// `kafka.in-flight` reports have no acknowledgement.
    IN_FLIGHT,
    /// `kafka.buffer-bytes` are full.
    BUFFER,
    /// The broker did not acknowledge it in time, or refused it.
    BROKER,
    STOPPING
  }

  /// Fate of a verdict.
  enum Verdict {
    PASSED,
    /// Its SNAPT has no stream here.
    OTHER_BRIDGE,
    /// Its SNAPT asks again.
    SNAPT_DOES_NOT_READ,
    /// The record is not a verdict.
    MALFORMED
  }

  private final LabelledCounters<Deferral> deferrals;
  private final LabelledCounters<Verdict> verdicts;

  public QueueMeters(MeterRegistry registry) {
    deferrals =
        LabelledCounters.register(
            registry,
            "viaduct_bridge_queue_deferred",
            "Reports deferred on their way to the broker, by reason",
            "reason",
            Deferral.class);
    verdicts =
        LabelledCounters.register(
            registry,
            "viaduct_bridge_queue_verdicts",
            "Verdicts that came back by the broker, by their fate",
            "outcome",
            Verdict.class);
  }

  void deferred(Deferral why) {
    deferrals.increment(why);
  }

  void verdict(Verdict fate) {
    verdicts.increment(fate);
  }
}
