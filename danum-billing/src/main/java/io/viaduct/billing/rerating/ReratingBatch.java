package io.viaduct.billing.rerating;

import io.viaduct.billing.credit.CreditLock;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.settlement.ChargedReport;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.SurchargeVersion;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.billing.tariff.Terms;
import io.viaduct.billing.wallet.PaidCharge;
import io.viaduct.billing.wallet.Wallets;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Carries out runs, some intervals in each database transaction. A transaction posts differences
/// and gives the intervals their outcome, so a run that was cut off goes on where it was. One
/// process at a time works.
public final class ReratingBatch {
  /// Most intervals of one transaction. It limits the time for which accounts are locked.
  private static final int BATCH = 200;

  private static final int WORKING_LOCK = 7809652;

  private final TransactionTemplate transaction;
  private final JdbcTemplate batches;
  private final JdbcClient jdbc;
  private final TariffBook tariffs;
  private final SurchargeBook surcharges;
  private final Ledger ledger;
  private final Wallets wallets;
  private final ChargeListener listener;

  /// @param listener is told of changed charges after each commit
  public ReratingBatch(
      TransactionTemplate transaction,
      JdbcTemplate batches,
      TariffBook tariffs,
      SurchargeBook surcharges,
      Ledger ledger,
      ChargeListener listener) {
    this.transaction = transaction;
    this.batches = batches;
    this.jdbc = JdbcClient.create(batches);
    this.tariffs = tariffs;
    this.surcharges = surcharges;
    this.ledger = ledger;
    this.wallets = new Wallets(jdbc);
    this.listener = listener;
  }

  /// Works until nothing waits, or another process works.
  public void workOff(Instant now) {
    boolean isWorking;
    do {
      isWorking = work(now);
    } while (isWorking && !Thread.currentThread().isInterrupted());
  }

  /// Carries out one transaction.
  ///
  /// @return false if there was nothing to do
  public boolean work(Instant now) {
    Map<String, List<Long>> changed = new TreeMap<>();
    boolean isDone = transaction.execute(_ -> isAlone() && workAlone(now, changed));
    changed.forEach(listener::changed);
    return isDone;
  }

  private boolean isAlone() {
    return jdbc.sql("select pg_try_advisory_xact_lock(?)")
        .param(WORKING_LOCK)
        .query(Boolean.class)
        .single();
  }

  private record Run(
      long number, boolean isListed, int tariffVersion, @Nullable ServiceClass serviceClass) {}

  private boolean workAlone(Instant now, Map<String, List<Long>> changed) {
    Optional<Run> run = next();
    if (run.isEmpty()) {
      return false;
    }
    if (run.get().isListed()) {
      rate(run.get(), now, changed);
    } else {
      list(run.get().number(), now);
    }
    return true;
  }

  private Optional<Run> next() {
    return jdbc.sql(
            """
            select r.number, r.listed_at is not null, r.tariff_version, r.service_class from rerating r
            where not r.stopped and (r.listed_at is null or exists (select from rerating_item i
              where i.rerating = r.number and i.outcome = 'WAITING'))
            order by r.number limit 1 for no key update
            """)
        .query((row, _) ->
            new Run(row.getLong(1), row.getBoolean(2), row.getInt(3), Reratings.serviceClass(row)))
        .optional();
  }

  private void list(long run, Instant now) {
    jdbc.sql(
            """
            insert into rerating_item (rerating, interval_id)
            select r.number, i.id from rerating r join charging_interval i
              on i.started_at >= r.from_at and i.started_at < r.to_at and (r.account is null or r.account = i.account)
            where r.number = ? on conflict do nothing
            """)
        .param(run)
        .update();
    openDays(run);
    jdbc.sql("update rerating set listed_at = ? where number = ?")
        .param(Timestamp.from(now))
        .param(run)
        .update();
  }

  // The corrected tariff may differ in a cap of the day or hour alone, and then no bill changes. A
  // day's cap counts for the whole day, so also for what is not in the run's time. The caps of a
  // class's run stay those before.
  private void openDays(long run) {
    jdbc.sql(
            """
            insert into open_day (account, day)
            select distinct i.account, (i.started_at at time zone 'UTC')::date from rerating r join charging_interval i
              on i.started_at >= date_trunc('day', r.from_at, 'UTC')
                and i.started_at < date_trunc('day', r.to_at - interval '1 microsecond', 'UTC') + interval '24 hours'
                and (r.account is null or r.account = i.account)
            where r.number = ? and r.service_class is null and i.state <> 'VOID' on conflict do nothing
            """)
        .param(run)
        .update();
  }

  private void rate(Run run, Instant now, Map<String, List<Long>> changed) {
    List<Long> ids = waiting(run.number());
    CreditLock.take(jdbc, accounts(ids));
    jdbc.sql("select from charging_interval where id = any(?) order by id for no key update")
        .param(ids.toArray(Long[]::new))
        .query(_ -> {});
    List<RevisedInterval.Billed> intervals = new BilledIntervals(jdbc).read(ids);
    List<TariffVersion> versions = tariffs.versions();
    Map<Long, Long> refunds = refunds(ids);
    Map<Long, String> outcomes = new HashMap<>();
    ids.forEach(id -> outcomes.put(id, "SAME")); // also of an interval without flows
    List<RevisedInterval> revised = new ArrayList<>();
    for (RevisedInterval interval :
        rated(intervals, versions.get(run.tariffVersion() - 1), run.serviceClass())) {
      if (interval.isChanged() && isRefunded(interval, refunds)) {
        outcomes.put(interval.interval().id(), "REFUNDED");
      } else if (interval.isChanged()) {
        outcomes.put(interval.interval().id(), "CHANGED");
        revised.add(interval);
        changed
            .computeIfAbsent(interval.interval().report().account(), _ -> new ArrayList<>())
            .addAll(interval.interval().report().flows().stream().map(f -> f.charge()).toList());
      }
    }
    voided(ids).forEach(id -> outcomes.put(id, "VOID"));
    post(revised, versions, now);
    pay(revised, refunds);
    new RevisionStore(batches).insert(revised, run.number(), run.tariffVersion(), versions, now);
    batches.batchUpdate(
        "update rerating_item set outcome = ? where rerating = ? and interval_id = ?",
        outcomes.entrySet().stream()
            .map(each -> new Object[] {each.getValue(), run.number(), each.getKey()})
            .toList());
  }

  private List<Long> waiting(long run) {
    return jdbc.sql(
            "select interval_id from rerating_item where rerating = ? and outcome = 'WAITING'"
                + " order by interval_id limit ?")
        .param(run)
        .param(BATCH)
        .query(Long.class)
        .list();
  }

  private List<String> accounts(List<Long> ids) {
    return jdbc.sql("select distinct account from charging_interval where id = any(?)")
        .param(ids.toArray(Long[]::new))
        .query(String.class)
        .list();
  }

  private Set<Long> voided(List<Long> ids) {
    return new HashSet<>(
        jdbc.sql("select id from charging_interval where id = any(?) and state = 'VOID'")
            .param(ids.toArray(Long[]::new))
            .query(Long.class)
            .list());
  }

  private List<RevisedInterval> rated(
      List<RevisedInterval.Billed> intervals,
      TariffVersion corrected,
      @Nullable ServiceClass only) {
    Map<String, List<SurchargeVersion>> asked =
        surcharges.of(intervals.stream().map(i -> i.report().owner()).collect(Collectors.toSet()));
    return intervals.stream()
        .map(interval -> {
          Integer version = interval.report().surchargeVersion();
          Surcharge surcharge =
              version == null
                  ? Surcharge.NONE
                  : asked
                      .getOrDefault(interval.report().owner(), List.of())
                      .get(version - 1)
                      .surcharge();
          return RevisedInterval.of(interval, new Terms(corrected.tariff(), surcharge), only);
        })
        .toList();
  }

  // An operator has given back more than the new bill. The user would get it twice.
  private static boolean isRefunded(RevisedInterval interval, Map<Long, Long> refunds) {
    List<Long> charges =
        interval.interval().report().flows().stream().map(flow -> flow.charge()).toList();
    for (int i = 0; i < charges.size(); i++) {
      if (refunds.getOrDefault(charges.get(i), 0L) > interval.lines(i).net().value()) {
        return true;
      }
    }
    return false;
  }

  private Map<Long, Long> refunds(List<Long> ids) {
    Map<Long, Long> refunds = new HashMap<>();
    jdbc.sql(
            "select c.id, sum(r.amount_microdenarii) from credit r join charge c on c.id = r.charge_id"
                + " where c.interval_id = any(?) group by 1")
        .param(ids.toArray(Long[]::new))
        .query(row -> {
          refunds.put(row.getLong(1), row.getLong(2));
        });
    return refunds;
  }

  private void post(List<RevisedInterval> revised, List<TariffVersion> versions, Instant now) {
    ledger.open(
        revised.stream()
            .map(each -> LedgerAccount.provider(each.interval().report().owner()))
            .distinct()
            .toList(),
        now);
    ledger.post(
        revised.stream()
            .flatMap(each ->
                each.transactions(providerFee(each.interval().tariffAtStart(), versions)).stream())
            .toList(),
        now);
  }

  // First what is given back, which other charges of the batch may draw.
  private void pay(List<RevisedInterval> revised, Map<Long, Long> refunds) {
    List<Wallets.Saving> savings = new ArrayList<>();
    List<PaidCharge> charges = new ArrayList<>();
    for (RevisedInterval interval : revised) {
      ChargedReport report = interval.interval().report();
      for (int i = 0; i < report.flows().size(); i++) {
        long charge = report.flows().get(i).charge();
        MicroDenarii net = interval.lines(i).net();
        MicroDenarii more = net.minus(report.flows().get(i).posted().net());
        if (more.value() > 0) {
          charges.add(new PaidCharge(charge, report.account(), report.start(), more));
        } else if (more.value() < 0) {
          MicroDenarii refunded = new MicroDenarii(refunds.getOrDefault(charge, 0L));
          savings.add(new Wallets.Saving(Set.of(charge), more.negated(), net.minus(refunded)));
        }
      }
    }
    wallets.giveBack(savings, Wallets.Reason.BILL);
    wallets.pay(charges);
  }

  // The share that was agreed with the owner when the interval was carried.
  private static double providerFee(int version, List<TariffVersion> versions) {
    return versions.get(version - 1).tariff().providerFee();
  }
}
