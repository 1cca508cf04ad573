package io.viaduct.billing.credit;

import io.viaduct.billing.credit.HighestPrices.Bound;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.Use;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// Decides the size of a grant. It follows the present rate. When credit is short, first its
/// validity shrinks, and then its bytes: a short time of a fast download costs less than the same
/// bytes might cost at the steepest point of the curve. A grant lasts at least the shortest
/// validity at the present rate; credit for less is none, or a download would crawl to zero.
///
/// @param time time of the present rate that a grant lasts
/// @param bytesMin smallest grant while credit suffices; the first one of an application
/// @param validity longest validity of a grant
/// @param validityMin shortest validity: several round trips between SNAPT and billing
/// @param grace longest time for which an application of low delay goes on when credit for a
///   further grant lacks; zero for none
public record GrantRules(
    Duration time, long bytesMin, Duration validity, Duration validityMin, Duration grace) {
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
  Quota grant(Quota quota, Bound price, MicroDenarii spendable, Instant now) {
    long bytes = Math.max(bytesMin, (long) (quota.bytesPerSecond() * time.toNanos() / 1e9));
    long ms = validity.toMillis();
    MicroDenarii budget = spendable.plus(quota.reserved());
    Quota full = granted(withGrace(quota, bytes, price, budget, now), bytes, ms, false, price, now);
    if (isPaid(full, budget)) {
      return full;
    }
    return quota.grace().isThere(now)
        ? grantedByGrace(quota, bytes, now)
        : cut(quota.keeping(Use.NONE, price), bytes, price, budget, now);
  }

  // An application that is silent for a moment keeps the grace that it has. A longer one may take
  // half of the credit that is left: else it would cut other applications to be spared itself.
  private Quota withGrace(Quota quota, long bytes, Bound price, MicroDenarii budget, Instant now) {
    if (!quota.application().serviceClass().isLowDelay() || grace.isZero()) {
      return quota.keeping(Use.NONE, price);
    }
    Use known = quota.grace().isThere(now) ? quota.grace().kept() : Use.NONE;
    Quota longer =
        largest(
            Math.max(validityMin.toMillis(), known.intervalMs() + 1),
            quota.bytesPerSecond() > 0 ? grace.toMillis() : 0,
            budget,
            graceMs ->
                granted(
                    quota.keeping(keptFor(quota, graceMs * 2), price),
                    bytes,
                    validity.toMillis(),
                    false,
                    price,
                    now));
    if (longer == null) {
      return quota.keeping(known, price);
    }
    Use doubled = longer.grace().kept();
    return quota.keeping(keptFor(quota, doubled.intervalMs() / 2), price);
  }

  private static Use keptFor(Quota quota, long ms) {
    return new Use((long) (quota.bytesPerSecond() * ms / 1e3), Math.max(1, quota.flows()) * ms, ms);
  }

  private Quota grantedByGrace(Quota quota, long bytes, Instant now) {
    Use kept = quota.grace().kept();
    Instant end = quota.grace().endsAt();
    long leftMs = end == null ? kept.intervalMs() : Duration.between(now, end).toMillis();
    long ms = Math.min(validity.toMillis(), Math.min(leftMs, kept.intervalMs()));
    Use part =
        new Use(
            Math.min(bytes, kept.bytes()),
            Math.min(Math.max(1, quota.flows()) * ms, kept.flowMs()),
            ms);
    return quota.grantedByGrace(part, now, now.plusMillis(ms).plus(LATE));
  }

  private Quota cut(Quota quota, long bytes, Bound price, MicroDenarii budget, Instant now) {
    long ms = validity.toMillis();
    Quota shorter =
        largest(
            validityMin.toMillis(),
            ms,
            budget,
            fewerMs -> granted(quota, bytes, fewerMs, true, price, now));
    if (shorter != null) {
      return shorter;
    }
    long fewest = (long) (quota.bytesPerSecond() * validityMin.toNanos() / 1e9);
    Quota smaller =
        largest(
            Math.max(PACKET_BYTES, fewest),
            bytes,
            budget,
            fewer -> granted(quota, fewer, ms, true, price, now));
    return smaller == null ? nothing(quota, now) : smaller;
  }

  /// Returns the largest grant that is paid, by bisection: a price rises with bytes and time.
  ///
  /// @return null if even the smallest one is not paid
  private static @Nullable Quota largest(
      long least, long most, MicroDenarii budget, LongFunction<Quota> grant) {
    Quota best = null;
    long low = least;
    long high = most;
    while (low <= high) {
      long middle = low + (high - low) / 2;
      Quota tried = grant.apply(middle);
      if (isPaid(tried, budget)) {
        best = tried;
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return best;
  }

  /// Returns the quota of a call with a grant of seconds. When credit is short it gets as many as
  /// the credit pays, and is marked as cut: these are the last ones. It stays as it is if the
  /// credit pays not one.
  ///
  /// @param seconds seconds that are wanted, 1 or more
  /// @param until end of the grant
  /// @param spendable amount that may be reserved beside what is reserved now
  static Quota grantSeconds(
      Quota quota, long seconds, Instant until, Bound price, MicroDenarii spendable) {
    Quota granted =
        largest(
            1,
            seconds,
            spendable.plus(quota.reserved()),
            part -> quota.granted(Use.ofSeconds(part), until, part < seconds, price));
    return granted == null ? quota : granted;
  }

  /// Returns the quota cut to what it has. A later change of the credit is pushed to it.
  static Quota nothing(Quota quota, Instant now) {
    return quota.cut(now.plus(INTEREST));
  }

  private static boolean isPaid(Quota quota, MicroDenarii budget) {
    return quota.reserved().compareTo(budget) <= 0;
  }

  private static Quota granted(
      Quota quota, long bytes, long validityMs, boolean cut, Bound price, Instant now) {
    long flows = Math.max(1, quota.flows());
    return quota.granted(
        new Use(bytes, Math.multiplyExact(flows, validityMs), validityMs),
        now.plusMillis(validityMs).plus(LATE),
        cut,
        price);
  }
}
