package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionTemplate;

/// Bills validated reports: finds what was billed before, rates what is new, and stores interval,
/// report, charges and postings of a whole batch in one database transaction.
///
/// The rows of the sessions are locked in one order before anything is decided, so that reports of
/// one session are posted one after the other, whoever submits them; the unique key of the interval
/// stands behind that.
public final class ReportPosting {
  private final TransactionTemplate transaction;
  private final IntervalStore store;
  private final TariffBook tariffs;
  private final Ledger ledger;
  private final SettlementRules rules;

  public ReportPosting(
      TransactionTemplate transaction,
      IntervalStore store,
      TariffBook tariffs,
      Ledger ledger,
      SettlementRules rules) {
    this.transaction = transaction;
    this.store = store;
    this.tariffs = tariffs;
    this.ledger = ledger;
    this.rules = rules;
  }

  /// Posts a batch; when this returns, every result is committed.
  ///
  /// @return one result for each report, in order
  /// @throws org.springframework.dao.DataAccessException if the database is away; nothing is posted
  public List<PostResult> post(List<MeasuredInterval> reports, Instant now) {
    if (reports.isEmpty()) {
      return List.of();
    }
    return transaction.execute(_ -> decideAndStore(reports, now));
  }

  private List<PostResult> decideAndStore(List<MeasuredInterval> reports, Instant now) {
    List<TariffVersion> versions = tariffs.versions();
    Set<String> accounts = store.knownAccounts(reports);
    List<MeasuredInterval> payable =
        reports.stream().filter(r -> accounts.contains(r.account())).toList();
    Map<IntervalStore.Session, Long> epochs = store.lockSessions(payable);
    Map<IntervalKey, byte[]> digests = new HashMap<>(store.digests(payable));
    Set<IntervalStore.Session> risen = new HashSet<>();

    List<@Nullable PostResult> results = new ArrayList<>();
    List<BilledInterval> billed = new ArrayList<>();
    List<Integer> positions = new ArrayList<>();
    for (MeasuredInterval report : reports) {
      PostResult refused = decide(report, accounts, digests, epochs, now);
      if (refused == null) {
        digests.put(report.key(), report.original().digest());
        IntervalStore.Session session = IntervalStore.Session.of(report.key());
        if (report.key().epoch() > epochs.getOrDefault(session, 0L)) {
          epochs.put(session, report.key().epoch());
          risen.add(session);
        }
        positions.add(results.size());
        billed.add(bill(report, versions, now));
      }
      results.add(refused);
    }
    store(billed, epochs, risen, now);
    for (int i = 0; i < billed.size(); i++) {
      BilledInterval interval = billed.get(i);
      results.set(
          positions.get(i),
          new PostResult.Posted(
              interval.report().account(), interval.chargeIds(), interval.skewedFlows()));
    }
    return List.copyOf(results);
  }

  // In this order: what was billed once is never refused later.
  private @Nullable PostResult decide(
      MeasuredInterval report,
      Set<String> accounts,
      Map<IntervalKey, byte[]> digests,
      Map<IntervalStore.Session, Long> epochs,
      Instant now) {
    IntervalKey key = report.key();
    if (!accounts.contains(report.account())) {
      return new PostResult.Refused(
          ReportRefusal.UNKNOWN_ACCOUNT, "no account '" + report.account() + "'");
    }
    byte[] before = digests.get(key);
    if (before != null) {
      return Arrays.equals(before, report.original().digest())
          ? new PostResult.AlreadyPosted()
          : new PostResult.Refused(
              ReportRefusal.CONFLICT, key.text() + " was billed with other content");
    }
    long epoch = epochs.getOrDefault(IntervalStore.Session.of(key), 0L);
    if (key.epoch() < epoch) {
      return new PostResult.Refused(
          ReportRefusal.LOWER_EPOCH,
          "epoch " + key.epoch() + " of the session is below " + epoch + ", seen before");
    }
    Duration age = Duration.between(report.endedAt(), now);
    if (age.compareTo(rules.adjustmentTime()) > 0) {
      return new PostResult.Refused(
          ReportRefusal.TOO_LATE,
          "ended " + report.endedAt() + ", more than " + rules.adjustmentTime() + " ago");
    }
    return null;
  }

  private BilledInterval bill(MeasuredInterval report, List<TariffVersion> versions, Instant now) {
    Instant graceEndsAt = report.endedAt().plus(rules.graceTime());
    return BilledInterval.of(
        report,
        TariffBook.inForce(versions, report.startedAt()),
        rules.ownerOf().apply(report.key().snapt()),
        graceEndsAt,
        now.isBefore(graceEndsAt) ? IntervalState.CORRECTED : IntervalState.ADJUSTED);
  }

  private void store(
      List<BilledInterval> billed,
      Map<IntervalStore.Session, Long> epochs,
      Set<IntervalStore.Session> risen,
      Instant now) {
    if (billed.isEmpty()) {
      return;
    }
    store.raiseEpochs(risen, epochs);
    store.insert(billed);
    List<LedgerTransaction> transactions = new ArrayList<>();
    for (BilledInterval interval : billed) {
      String key = interval.report().key().text();
      String account = interval.report().account();
      transactions.add(
          interval.state() == IntervalState.ADJUSTED
              ? LedgerTransaction.adjustment(
                  interval.id(), key, account, interval.charge(), interval.discount())
              : LedgerTransaction.correction(
                  interval.id(), key, account, interval.charge(), interval.discount()));
    }
    ledger.post(transactions, now);
  }
}
