package io.viaduct.billing.settlement;

import io.viaduct.billing.credit.CreditLock;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.snapts.Ownership;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TermsInForce;
import io.viaduct.billing.wallet.Wallets;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Charges accounts by their devices' reports where the SNAPT's report does not come, and makes
/// these charges lasting when it no longer can. Each report has a transaction of its own, which
/// locks the account first, as the posting of the SNAPT's report does. Several processes may do
/// this at the same time.
///
/// While an operator has to decide about a held report of the interval, nothing is charged.
public final class DeviceCharges {
  /// The operator's rules.
  ///
  /// @param after time from the end of an interval until the device's report is charged
  /// @param bound largest sum of an account's charges by device reports that may still be replaced
  /// @param adjustmentTime time from the end of an interval until its SNAPT's report is too late
  public record Rules(Duration after, MicroDenarii bound, Duration adjustmentTime) {}

  private static final int BATCH = 100;
  private static final int FORGOTTEN = 1_000;

  private static final String NOT_HELD =
      " and not exists (select from held_report h where h.state = 'HELD' and h.account = d.account"
          + " and (h.snapt_id, h.session_id, h.epoch, h.sequence) = (d.snapt_id, d.session_id, d.epoch, d.sequence))";

  private final TransactionTemplate transaction;
  private final JdbcTemplate batches;
  private final JdbcClient jdbc;
  private final TariffBook tariffs;
  private final SurchargeBook surcharges;
  private final Ledger ledger;
  private final SettlementRules settlement;
  private final Rules rules;

  public DeviceCharges(
      TransactionTemplate transaction,
      JdbcTemplate batches,
      TariffBook tariffs,
      SurchargeBook surcharges,
      Ledger ledger,
      SettlementRules settlement,
      Rules rules) {
    this.transaction = transaction;
    this.batches = batches;
    this.jdbc = JdbcClient.create(batches);
    this.tariffs = tariffs;
    this.surcharges = surcharges;
    this.ledger = ledger;
    this.settlement = settlement;
    this.rules = rules;
  }

  private record Due(long id, String account) {}

  /// Charges what is due, makes lasting what can no longer be replaced, and deletes reports that
  /// agreed with the SNAPT's, twice the adjustment time after their interval.
  ///
  /// @return changed charges by account
  public Map<String, List<Long>> work(Instant now) {
    Map<String, List<Long>> changed = new LinkedHashMap<>();
    each(DeviceReportState.PROVISIONAL, now.minus(rules.after()), due -> charge(due, now, changed));
    each(
        DeviceReportState.FINAL_PROVISIONAL,
        now.minus(rules.adjustmentTime()),
        due -> makeLasting(due, changed));
    forget(now);
    return changed;
  }

  // A report that agreed with the SNAPT's says nothing more. A copy of it would be refused as too
  // late.
  private void forget(Instant now) {
    int forgotten;
    do {
      forgotten =
          jdbc.sql(
                  "delete from device_report where id in (select id from device_report"
                      + " where state = 'FINAL' and interval_id is null and ended_at < ? limit ?)")
              .params(Timestamp.from(now.minus(rules.adjustmentTime().multipliedBy(2))), FORGOTTEN)
              .update();
    } while (forgotten == FORGOTTEN);
  }

  // Reports that wait for a held one stay due; the last id passes them.
  private void each(DeviceReportState state, Instant endedBefore, Predicate<Due> step) {
    long after = 0;
    List<Due> batch;
    do {
      batch =
          jdbc.sql(
                  "select d.id, d.account from device_report d where d.state = ? and d.ended_at < ? and d.id > ?"
                      + NOT_HELD
                      + " order by d.id limit ?")
              .params(state.name(), Timestamp.from(endedBefore), after, BATCH)
              .query((row, _) -> new Due(row.getLong(1), row.getString(2)))
              .list();
      for (Due due : batch) {
        transaction.execute(_ -> lock(due, state) && step.test(due));
        after = due.id();
      }
    } while (batch.size() == BATCH);
  }

  // Looks again under the lock: the SNAPT's report may have come meanwhile, or be held.
  private boolean lock(Due due, DeviceReportState state) {
    jdbc.sql("select 1 from account where id = ? for no key update")
        .param(due.account())
        .query(_ -> {});
    CreditLock.take(jdbc, Set.of(due.account()));
    return !jdbc.sql("select 1 from device_report d where d.id = ? and d.state = ?" + NOT_HELD)
        .params(due.id(), state.name())
        .query(Integer.class)
        .list()
        .isEmpty();
  }

  private boolean charge(Due due, Instant now, Map<String, List<Long>> changed) {
    BilledInterval billed = bill(due.id(), read(due.id()));
    boolean isActive =
        jdbc.sql("select state = 'active' from account where id = ?")
            .param(due.account())
            .query(Boolean.class)
            .single();
    MicroDenarii sum = replaceable(due.account()).plus(billed.lines().gross());
    DeviceReportState state =
        DeviceReportState.unanswered(isActive && sum.compareTo(rules.bound()) <= 0);
    if (state == DeviceReportState.FINAL_PROVISIONAL) {
      post(billed, now);
      changed.computeIfAbsent(due.account(), _ -> new ArrayList<>()).addAll(billed.chargeIds());
    }
    jdbc.sql("update device_report set state = ?, interval_id = ? where id = ?")
        .param(state.name())
        .param(state == DeviceReportState.FINAL_PROVISIONAL ? billed.id() : null)
        .param(due.id())
        .update();
    return true;
  }

  private DeviceInterval read(long id) {
    return jdbc.sql("select * from device_report where id = ?")
        .param(id)
        .query((row, _) ->
            new DeviceInterval(
                new IntervalKey(
                    row.getString("snapt_id"),
                    row.getString("session_id"),
                    row.getLong("epoch"),
                    row.getLong("sequence")),
                row.getString("account"),
                row.getString("device"),
                row.getTimestamp("started_at").toInstant(),
                row.getTimestamp("ended_at").toInstant(),
                row.getTimestamp("received_at").toInstant(),
                MeasuredInterval.Clock.valueOf(row.getString("clock")),
                row.getLong("bytes"),
                row.getBytes("envelope"),
                row.getBytes("digest")))
        .single();
  }

  // Settled when no report of the SNAPT can replace it. The report is always one in time: its
  // charge is posted to CLEARING, so its reversal and its revisions must be, too. It may have come
  // in the last moment, or under a longer adjustment time than now.
  private BilledInterval bill(long id, DeviceInterval report) {
    Instant replaceableUntil = report.endedAt().plus(rules.adjustmentTime());
    Instant received = report.receivedAt();
    Instant graceEndsAt =
        replaceableUntil.isAfter(received) ? replaceableUntil : received.plusMillis(1);
    String owner =
        Ownership.read(jdbc, settlement.ownerOf()).at(report.key().snapt(), report.startedAt());
    TermsInForce terms =
        TermsInForce.Known.of(tariffs, surcharges, Set.of(owner)).at(owner, report.startedAt());
    MeasuredInterval interval = CarriedFlows.marked(jdbc, report.interval(id));
    return BilledInterval.of(interval, terms, owner, graceEndsAt);
  }

  private MicroDenarii replaceable(String account) {
    return new MicroDenarii(
        jdbc.sql(
                "select coalesce(sum(r.gross), 0)::bigint from charging_interval i"
                    + " join current_report r on r.interval_id = i.id"
                    + " where i.state = 'FINAL_PROVISIONAL' and i.account = ?")
            .param(account)
            .query(Long.class)
            .single());
  }

  // Reservations stay until the SNAPT's report is too late: a reversal does not undo them. It gives
  // the wallets back what the charge drew.
  private void post(BilledInterval billed, Instant now) {
    IntervalStore store = new IntervalStore(batches);
    store.insert(List.of(billed));
    store.openDays(List.of(billed));
    if (!billed.lines().reward().isZero()) {
      ledger.open(List.of(LedgerAccount.provider(billed.owner())), now);
    }
    ledger.post(List.of(PostingRound.transaction(billed)), now);
    new Wallets(jdbc).pay(PostingRound.paid(billed).toList());
  }

  private boolean makeLasting(Due due, Map<String, List<Long>> changed) {
    Optional<Long> interval =
        jdbc.sql("select interval_id from device_report where id = ?")
            .param(due.id())
            .query(Long.class)
            .optional();
    jdbc.sql("update device_report set state = 'FINAL' where id = ?").param(due.id()).update();
    jdbc.sql("update charging_interval set state = 'CORRECTED' where id = ?")
        .param(interval.orElseThrow())
        .update();
    List<Long> charges =
        jdbc.sql("select id from charge where interval_id = ? order by id")
            .param(interval.orElseThrow())
            .query(Long.class)
            .list();
    changed.computeIfAbsent(due.account(), _ -> new ArrayList<>()).addAll(charges);
    return true;
  }
}
