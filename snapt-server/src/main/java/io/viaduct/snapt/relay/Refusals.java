package io.viaduct.snapt.relay;

import io.viaduct.tunnel.wire.Verdict;
import java.util.List;

/// Which verdicts mean that a datagram was refused.
public final class Refusals {
  private Refusals() {}

  /// Whether it says that something was not taken as sent.
  public static boolean isRefusal(Verdict verdict) {
    return switch (verdict) {
      case QUEUED, ACCEPTED, FRAGMENT_KEPT, RESTORED, CONTROL_TAKEN -> false;
      // Carried all the same, without the comfort of a context; or a sample, not a packet.
      case FLOW_TABLE_FULL, FLOW_IDS_EXHAUSTED, OPEN_WITHOUT_CONTEXT, DELAY_SKEWED -> false;
      default -> true;
    };
  }

  /// Datagrams refused so far by all loops, for every reason.
  public static long datagrams(List<TrafficCounters> loops) {
    long refused = 0;
    for (Verdict verdict : Verdict.values()) {
      if (verdict.subject() == Verdict.Subject.DATAGRAM && isRefusal(verdict)) {
        refused += loops.stream().mapToLong(loop -> loop.of(verdict)).sum();
      }
    }
    return refused;
  }
}
