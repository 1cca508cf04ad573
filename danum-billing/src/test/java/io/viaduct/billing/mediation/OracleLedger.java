package io.viaduct.billing.mediation;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.tariff.Tariff;
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
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/// A slow but obvious ledger, the oracle for the real one: plain maps, one report at a time, no
/// database. It takes the bill of a report under a tariff as given.
final class OracleLedger {
  record Spec(
      String session,
      long epoch,
      long sequence,
      String account,
      String content,
      Instant end,
      Function<Tariff, BillLines> bill,
      boolean signed) {
    String key() {
      return session + "/" + epoch + "/" + sequence;
    }
  }

  private static final class Interval {
    private final Spec spec;
    private final Instant start;
    private final Instant due;
    private final BillLines reported; // the bill of its report, before re-ratings
    private final boolean late;
    private BillLines bill;
    private boolean settled;
    private boolean signed;
    private long refunded;

    private Interval(Spec spec, BillLines bill, Instant end, boolean late) {
      this.spec = spec;
      this.start = end.minus(LENGTH);
      this.due = end.plus(MediationRig.GRACE);
      this.reported = bill;
      this.bill = bill;
      this.late = late;
      this.signed = spec.signed();
    }
  }

  /// A re-rating of an account's intervals that began in a time.
  record Correction(Instant from, Instant to, String account, Tariff tariff) {
    private boolean concerns(Interval interval) {
      return !interval.start.isBefore(from)
          && interval.start.isBefore(to)
          && interval.spec.account().equals(account);
    }
  }

  private static final Duration LENGTH = Duration.ofMinutes(1); // of every interval

  private final long unsignedBound;
  private final Map<String, Instant> held = new HashMap<>(); // first arrival, by content
  private final Set<String> accounts = new HashSet<>();
  private final Map<String, Interval> intervals = new LinkedHashMap<>();
  private final NavigableMap<Instant, Tariff> tariffs = new TreeMap<>();
  private final List<Correction> corrections = new ArrayList<>();
  private final Map<String, Long> epochs = new HashMap<>();
  private final Map<String, String> topUpKeys = new HashMap<>();
  private final Set<String> creditKeys = new HashSet<>();
  final Map<String, Long> balances = new HashMap<>();

  OracleLedger(long unsignedBound) {
    this.unsignedBound = unsignedBound;
  }

  void open(String account) {
    accounts.add(account);
  }

  /// Puts a tariff in force from a time on.
  void changeTariff(Instant from, Tariff tariff) {
    tariffs.put(from, tariff);
  }

  /// Returns the bill of a report whose interval ended at a time: it costs what the tariff says
  /// that is in force at its start.
  BillLines bill(Spec spec, Instant end) {
    return spec.bill().apply(tariffs.floorEntry(end.minus(LENGTH)).getValue());
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
    BillLines bill = bill(spec, end);
    if (!accounts.contains(spec.account())
        || !spec.signed() && unsigned(spec.account()) + bill.gross().value() > unsignedBound) {
      held.putIfAbsent(spec.content(), now);
      return spec.signed() ? ReportVerdict.HELD : ReportVerdict.PROVISIONAL;
    }
    epochs.merge(spec.session(), spec.epoch(), Math::max);
    boolean late = !first.isBefore(end.plus(MediationRig.GRACE));
    Interval interval = new Interval(spec, bill, end, late);
    intervals.put(spec.key(), interval);
    post(interval, bill);
    corrections.forEach(correction -> correct(interval, correction));
    return spec.signed() ? ReportVerdict.POSTED : ReportVerdict.PROVISIONAL;
  }

  private void post(Interval interval, BillLines lines) {
    String payer = "USER:" + interval.spec.account();
    String counterpart = interval.late ? "ADJUSTMENT" : "CLEARING";
    move(payer, counterpart, lines.charge().value() + lines.surcharge().value());
    move("DISCOUNT", payer, lines.discount().value());
    move("DISCOUNT", "PROVIDER", lines.reward().value());
    move(payer, "FEES", lines.accessFee().value());
    move("ADJUSTMENT", payer, lines.refund().value());
  }

  /// Makes bills again: those that are posted, and those of reports that come later.
  void rerate(Correction correction) {
    corrections.add(correction);
    intervals.values().forEach(interval -> correct(interval, correction));
  }

  // An interval whose charge was refunded by more than its new bill keeps the one that it has.
  private void correct(Interval interval, Correction correction) {
    if (!correction.concerns(interval)) {
      return;
    }
    BillLines corrected = interval.spec.bill().apply(correction.tariff());
    if (interval.refunded > corrected.net().value()) {
      return;
    }
    post(interval, corrected.minus(interval.bill));
    if (interval.settled) {
      settle(interval.bill, -1);
      settle(corrected, 1);
    }
    interval.bill = corrected;
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
        .mapToLong(i -> i.reported.gross().value())
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
        settle(interval.bill, 1);
        interval.settled = true;
      }
    }
  }

  // Shares a charge. The sign is -1 to take the shares back.
  private void settle(BillLines bill, int sign) {
    long charge = bill.charge().value();
    long fee =
        new BigDecimal(charge)
            .divide(BigDecimal.TEN)
            .setScale(0, RoundingMode.HALF_EVEN)
            .longValueExact();
    move("CLEARING", "PROVIDER", sign * (fee + bill.surcharge().value()));
    move("CLEARING", "REVENUE", sign * (charge - fee));
  }

  /// Returns the posted reports with one flow, whose bill is that of their only charge.
  List<Spec> refundable() {
    return intervals.values().stream()
        .map(interval -> interval.spec)
        .filter(spec -> spec.sequence() % 3 == 0)
        .toList();
  }

  /// Returns what the user has paid for a posted report.
  long net(Spec spec) {
    return intervals.get(spec.key()).bill.net().value();
  }

  /// Refunds a charge. Returns true if it moved money: never more than was paid, once per key.
  boolean refund(String key, Spec spec, long amount) {
    Interval interval = intervals.get(spec.key());
    if (creditKeys.contains(key) || interval.refunded + amount > net(spec)) {
      return false;
    }
    creditKeys.add(key);
    interval.refunded += amount;
    move("GOODWILL", "USER:" + interval.spec.account(), amount);
    return true;
  }

  /// Credits an account. Returns true if it moved money.
  boolean credit(String key, String account, long amount) {
    if (!creditKeys.add(key)) {
      return false;
    }
    move("GOODWILL", "USER:" + account, amount);
    return true;
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
