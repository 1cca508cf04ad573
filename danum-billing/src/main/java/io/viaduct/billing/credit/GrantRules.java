package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.HighestPrice;
import io.viaduct.billing.rating.Use;
import java.time.Duration;
import java.time.Instant;

/// Decides the size of a grant. It follows the present rate. When credit is short, first its
/// validity shrinks, and then its bytes: a short time of a fast download costs less than the same
/// bytes might cost at the steepest point of the curve.
///
/// @param time time of the present rate that a grant lasts
/// @param bytesMin smallest grant while credit suffices; the first one of an application
/// @param validity longest validity of a grant
/// @param validityMin shortest validity: several round trips between SNAPT and billing
public record GrantRules(Duration time, long bytesMin, Duration validity, Duration validityMin) {
  /// A grant of less than a full packet is none.
  private static final long PACKET_BYTES = 1500;

  /// Reservations outlast the validity by this: the last request about a grant may take so long.
  static final Duration LATE = Duration.ofSeconds(5);

  /// An application that got nothing gets a grant by push for this long after its last request.
  /// SNAPTs ask again every 5 s.
  private static final Duration INTEREST = Duration.ofSeconds(15);

  /// Returns the quota with a grant, or cut to what it has.
  ///
  /// @param spendable amount that may be reserved beside what is reserved now
  Quota grant(Quota quota, HighestPrice price, MicroDenarii spendable, Instant now) {
    long bytes = Math.max(bytesMin, (long) (quota.bytesPerSecond() * time.toNanos() / 1e9));
    MicroDenarii budget = spendable.plus(quota.reserved());
    Quota full = granted(quota, bytes, validity.toMillis(), false, price, now);
    if (isPaid(full, budget)) {
      return full;
    }
    long owedBytes = Math.max(0, quota.allowed().bytes() - quota.covered().bytes());
    long ms = price.millisecondsFor(budget, owedBytes + bytes, flows(quota)) - owedMs(quota);
    if (ms >= validityMin.toMillis()) {
      Quota shorter = granted(quota, bytes, Math.min(ms, validity.toMillis()), true, price, now);
      if (isPaid(shorter, budget)) {
        return shorter;
      }
    }
    long fewer = Math.min(bytes, price.bytesFor(budget) - owedBytes);
    if (fewer >= PACKET_BYTES) {
      Quota smaller = granted(quota, fewer, validity.toMillis(), true, price, now);
      if (isPaid(smaller, budget)) {
        return smaller;
      }
    }
    return nothing(quota, now);
  }

  /// Returns the quota cut to what it has. A later change of the credit is pushed to it.
  static Quota nothing(Quota quota, Instant now) {
    return quota.cut(now.plus(INTEREST));
  }

  private static boolean isPaid(Quota quota, MicroDenarii budget) {
    return quota.reserved().compareTo(budget) <= 0;
  }

  private static Quota granted(
      Quota quota, long bytes, long validityMs, boolean cut, HighestPrice price, Instant now) {
    return quota.granted(
        new Use(bytes, Math.multiplyExact(flows(quota), validityMs), validityMs),
        now.plusMillis(validityMs).plus(LATE),
        cut,
        price);
  }

  // What was used and is not charged yet costs time too.
  private static long owedMs(Quota quota) {
    long flowMs = quota.allowed().flowMs() - quota.covered().flowMs();
    long intervalMs = quota.allowed().intervalMs() - quota.covered().intervalMs();
    return Math.max(0, Math.max(intervalMs, flowMs / flows(quota)));
  }

  private static long flows(Quota quota) {
    return Math.max(1, quota.flows());
  }
}
