package io.viaduct.billing.mediation;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.usage.v1.ReportVerdict;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// A slow but obvious ledger, the oracle for the real one: plain maps, one report at a time, no
/// database. It takes the bill of a report as given.
final class OracleLedger {
  record Spec(
      String session,
      long epoch,
      long sequence,
      String account,
      String content,
      Instant end,
      BillLines bill,
      boolean signed) {
    String key() {
      return session + "/" + epoch + "/" + sequence;
    }
  }

  private static final class Interval {
    private final Spec spec;
    private final Instant due;
    private boolean settled;
    private boolean signed;
    private final boolean late;

    private Interval(Spec spec, Instant due, boolean late) {
      this.spec = spec;
      this.due = due;
      this.late = late;
      this.signed = spec.signed();
    }
  }

  private final long unsignedBound;
  private final Map<String, Instant> held = new HashMap<>(); // first arrival, by content
  private final Set<String> accounts = new HashSet<>();
  private final Map<String, Interval> intervals = new LinkedHashMap<>();
  private final Map<String, Long> epochs = new HashMap<>();
  private final Map<String, String> topUpKeys = new HashMap<>();
  final Map<String, Long> balances = new HashMap<>();

  OracleLedger(long unsignedBound) {
    this.unsignedBound = unsignedBound;
  }

  void open(String account) {
    accounts.add(account);
  }

  private void move(String from, String to, long amount) {
    balances.merge(from, -amount, Math::addExact);
    balances.merge(to, amount, Math::addExact);
  }

  ReportVerdict submit(Spec spec, Instant now) {
    Interval known = intervals.get(spec.key());
    if (known != null) {
      return again(known, spec);
    }
    Instant first = held.getOrDefault(spec.content(), now);
    Instant end = believed(spec.end(), first);
    if (!held.containsKey(spec.content())
        && (spec.epoch() < epochs.getOrDefault(spec.session(), 0L)
            || Duration.between(end, now).compareTo(MediationRig.ADJUSTMENT) > 0)) {
      return ReportVerdict.REJECTED;
    }
    if (!accounts.contains(spec.account())
        || !spec.signed()
            && unsigned(spec.account()) + spec.bill().gross().value() > unsignedBound) {
      held.putIfAbsent(spec.content(), now);
      return spec.signed() ? ReportVerdict.HELD : ReportVerdict.PROVISIONAL;
    }
    epochs.merge(spec.session(), spec.epoch(), Math::max);
    Instant due = end.plus(MediationRig.GRACE);
    boolean late = !first.isBefore(due);
    intervals.put(spec.key(), new Interval(spec, due, late));
    String payer = "USER:" + spec.account();
    String counterpart = late ? "ADJUSTMENT" : "CLEARING";
    move(payer, counterpart, spec.bill().charge().value() + spec.bill().surcharge().value());
    move("DISCOUNT", payer, spec.bill().discount().value());
    move("DISCOUNT", "PROVIDER", spec.bill().reward().value());
    move(payer, "FEES", spec.bill().accessFee().value());
    move("ADJUSTMENT", payer, spec.bill().refund().value());
    return spec.signed() ? ReportVerdict.POSTED : ReportVerdict.PROVISIONAL;
  }

  private static ReportVerdict again(Interval known, Spec spec) {
    if (!known.spec.content().equals(spec.content())) {
      return ReportVerdict.CONFLICT;
    }
    if (known.signed) {
      return ReportVerdict.ALREADY_POSTED;
    }
    known.signed = spec.signed();
    return known.signed ? ReportVerdict.POSTED : ReportVerdict.PROVISIONAL;
  }

  private long unsigned(String account) {
    return intervals.values().stream()
        .filter(i -> !i.signed && i.spec.account().equals(account))
        .mapToLong(i -> i.spec.bill().gross().value())
        .sum();
  }

  // If the SNAPT's clock is ahead, the interval ends when the report was received.
  private static Instant believed(Instant end, Instant received) {
    return end.isAfter(received.plusSeconds(30)) ? received : end;
  }

  void settle(Instant now) {
    for (Interval interval : intervals.values()) {
      if (interval.signed && !interval.late && !interval.settled && !now.isBefore(interval.due)) {
        long charge = interval.spec.bill().charge().value();
        long fee =
            new BigDecimal(charge)
                .divide(BigDecimal.TEN)
                .setScale(0, RoundingMode.HALF_EVEN)
                .longValueExact();
        move("CLEARING", "PROVIDER", fee + interval.spec.bill().surcharge().value());
        move("CLEARING", "REVENUE", charge - fee);
        interval.settled = true;
      }
    }
  }

  /// Posts a top-up. Returns true if it moved money.
  boolean topUp(String key, String account, long amount) {
    if (topUpKeys.putIfAbsent(key, account + " " + amount) != null) {
      return false;
    }
    move("ISSUANCE", "USER:" + account, amount);
    return true;
  }

  long balance(String name) {
    return balances.getOrDefault(name, 0L);
  }

  int size() {
    return intervals.size();
  }
}
