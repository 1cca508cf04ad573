package io.viaduct.snapt.relay;

import io.viaduct.tunnel.wire.Verdict;
import java.util.List;

/// Decides which verdicts are refusals, and counts refused datagrams.
public final class Refusals {
  private Refusals() {}

  /// Returns true if the verdict means that a datagram or record was not accepted.
  public static boolean isRefusal(Verdict verdict) {
    return switch (verdict) {
      case QUEUED, ACCEPTED, FRAGMENT_KEPT, RESTORED, CONTROL_TAKEN -> false;
      // The packet was carried, only without a compression context. DELAY_SKEWED is about a delay
      // sample.
      case FLOW_TABLE_FULL, FLOW_IDS_EXHAUSTED, OPEN_WITHOUT_CONTEXT, DELAY_SKEWED -> false;
      case COPY, COPY_NOT_SENT -> false;
      default -> true;
    };
  }

  /// Returns the number of datagrams that all loops have refused, for any reason.
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
