package io.viaduct.diameter.peer;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.diameter.message.Refusal;
import io.viaduct.service.operations.Tally;

/// Counters of one node. Thread-safe.
public final class DiameterStatistics {
  /// Counted events that are not refusals of the codec.
  public enum Count {
    REQUEST_SENT,
    REQUEST_RECEIVED,
    ANSWER_SENT,
    ANSWER_RECEIVED,
    /// A request went to another peer, because its peer failed or could not deliver it.
    RETRANSMITTED,
    /// A copy of a request got the answer of the first one.
    DUPLICATE,
    /// A request of a peer was answered with 3004, because too many are processed.
    TOO_BUSY,
    /// An answer without a request in flight, such as one that came too late.
    STRAY_ANSWER,
    /// A message between neighbours that its connection's state does not expect.
    UNEXPECTED,
    WATCHDOG_SENT,
    WATCHDOG_ANSWERED,
    CONNECTED,
    DISCONNECTED,
    CONNECT_FAILED,
    /// An accepted connection brought no capabilities exchange in time, or too many are open.
    NO_CAPABILITIES,
    /// The Origin-Host of a capabilities exchange is not that of a peer.
    UNKNOWN_PEER,
    NO_COMMON_APPLICATION,
    FAIL_OVER,
    FAIL_BACK
  }

  private final Tally<Refusal> refusals = new Tally<>(Refusal.class);
  private final Tally<Count> counts = new Tally<>(Count.class);
  private final Tally<DiameterFailure> failures = new Tally<>(DiameterFailure.class);

  void count(Refusal reason) {
    refusals.count(reason);
  }

  void count(Count what) {
    counts.count(what);
  }

  void count(DiameterFailure failure) {
    failures.count(failure);
  }

  public long of(Refusal reason) {
    return refusals.of(reason);
  }

  public long of(Count what) {
    return counts.of(what);
  }

  public long of(DiameterFailure failure) {
    return failures.of(failure);
  }

  /// Registers the counters.
  public void bindTo(MeterRegistry registry) {
    refusals.bind(
        registry,
        "viaduct_diameter_refused",
        "reason",
        "Diameter messages refused before anything processed them");
    counts.bind(
        registry,
        "viaduct_diameter_events",
        "kind",
        "Diameter messages and changes of connections by kind");
    failures.bind(
        registry,
        "viaduct_diameter_unanswered",
        "reason",
        "Diameter requests of this node that got no answer");
  }
}
