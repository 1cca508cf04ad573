package io.viaduct.billing.mediation;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.usage.v1.ReportVerdict;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

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
    private BillLines bill;
    private boolean settled;
    private boolean signed;
    private final boolean late;

    private Interval(Spec spec, Instant due, boolean late) {
      this.spec = spec;
      this.bill = spec.bill();
      this.due = due;
      this.late = late;
      this.signed = spec.signed();
    }
  }

  private final long unsignedBound;
  private final Map<String, Instant> held = new HashMap<>(); // first arrival, by content
  private final Set<String> accounts = new HashSet<>();
  private final Map<String, Interval> intervals = new LinkedHashMap<>();
  private final List<Correction> corrections = new ArrayList<>();
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
    Interval interval = new Interval(spec, due, late);
    intervals.put(spec.key(), interval);
    bill(interval, spec.bill());
    corrections.forEach(correction -> correct(interval, correction));
    return spec.signed() ? ReportVerdict.POSTED : ReportVerdict.PROVISIONAL;
  }

  private void bill(Interval interval, BillLines lines) {
    String payer = "USER:" + interval.spec.account();
    String counterpart = interval.late ? "ADJUSTMENT" : "CLEARING";
    move(payer, counterpart, lines.charge().value() + lines.surcharge().value());
    move("DISCOUNT", payer, lines.discount().value());
    move("DISCOUNT", "PROVIDER", lines.reward().value());
    move(payer, "FEES", lines.accessFee().value());
    move("ADJUSTMENT", payer, lines.refund().value());
  }

  /// A re-rating of all intervals that began in a time.
  ///
  /// @param account null for all
  /// @param rate the bill of a report under the corrected tariff
  record Correction(Instant from, Instant to, String account, Function<Spec, BillLines> rate) {}

  void rerate(Correction correction) {
    corrections.add(correction);
    intervals.values().forEach(interval -> correct(interval, correction));
  }

  private void correct(Interval interval, Correction correction) {
    Instant start = interval.due.minus(MediationRig.GRACE).minusSeconds(60);
    if (start.isBefore(correction.from())
        || !start.isBefore(correction.to())
        || correction.account() != null && !correction.account().equals(interval.spec.account())) {
      return;
    }
    BillLines corrected = correction.rate().apply(interval.spec);
    bill(interval, corrected.minus(interval.bill));
    if (interval.settled) {
      long fee = fee(corrected) - fee(interval.bill);
      long charge = corrected.charge().value() - interval.bill.charge().value();
      move("CLEARING", "PROVIDER", fee);
      move("CLEARING", "REVENUE", charge - fee);
    }
    interval.bill = corrected;
  }

  private static long fee(BillLines bill) {
    return new BigDecimal(bill.charge().value())
        .divide(BigDecimal.TEN)
        .setScale(0, RoundingMode.HALF_EVEN)
        .longValueExact();
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

  // If the SNAPT's clock is ahead, the interval ends when the report was received; reports have
  // milliseconds.
  private static Instant believed(Instant end, Instant received) {
    return end.isAfter(received.plusSeconds(30)) ? received.truncatedTo(ChronoUnit.MILLIS) : end;
  }

  void settle(Instant now) {
    for (Interval interval : intervals.values()) {
      if (interval.signed && !interval.late && !interval.settled && !now.isBefore(interval.due)) {
        long charge = interval.bill.charge().value();
        long fee = fee(interval.bill);
        move("CLEARING", "PROVIDER", fee + interval.bill.surcharge().value());
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
