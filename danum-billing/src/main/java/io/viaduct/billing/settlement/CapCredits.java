package io.viaduct.billing.settlement;

import io.viaduct.billing.credit.CreditLock;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.settlement.CappedDay.Day;
import io.viaduct.billing.settlement.CappedDay.Excess;
import io.viaduct.billing.settlement.CappedDay.Hour;
import io.viaduct.billing.tariff.Cap;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.billing.wallet.PaidCharge;
import io.viaduct.billing.wallet.Wallets;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Gives back what accounts paid above the caps of an hour or a day ([CappedDay]). A charge belongs
/// to the UTC hour and day in which its interval began.
///
/// A day is credited once, when nothing can change its sum any more: the last report of it would be
/// too late, and no interval of it waits for settlement, a receipt or an operator. The credit is
/// computed from the sum alone, so it does not depend on the order in which reports arrived.
/// Posting writes each day that has charges into a list of open days; crediting removes it. A
/// re-rating opens the days of its time again; when it is done, the difference to what was given
/// back is posted. The wallets that paid get their part back.
public final class CapCredits {
  /// Most days of one database transaction. It limits the time for which their rows are locked.
  private static final int BATCH = 100;

  /// Longest interval, which may have begun at the very end of a day.
  private static final Duration INTERVAL_MAX = Duration.ofMinutes(10);

  private static final String CAPPED =
      " where c.account = :account and c.started_at >= :begin and c.started_at < :end"
          + " and (:application = '' or c.application = :application)";

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;
  private final TariffBook tariffs;
  private final Ledger ledger;
  private final Wallets wallets;
  private final Duration adjustmentTime;

  /// Credits the open days of a database.
  ///
  /// @param adjustmentTime time after which reports are refused as too late
  public CapCredits(
      TransactionTemplate transaction,
      JdbcClient jdbc,
      TariffBook tariffs,
      Ledger ledger,
      Duration adjustmentTime) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.tariffs = tariffs;
    this.ledger = ledger;
    this.wallets = new Wallets(jdbc);
    this.adjustmentTime = adjustmentTime;
  }

  /// Credits all days that are due.
  ///
  /// @return the accounts that were given a credit
  public Set<String> creditDue(Instant now) {
    Set<String> credited = new LinkedHashSet<>();
    int days;
    do {
      days = transaction.execute(_ -> creditBatch(now, credited));
    } while (days == BATCH);
    return credited;
  }

  private int creditBatch(Instant now, Set<String> credited) {
    List<Day> due =
        jdbc.sql(
                """
                select o.account, o.day from open_day o
                cross join lateral (select o.day::timestamp at time zone 'UTC' as begin,
                  (o.day + 1)::timestamp at time zone 'UTC' as next) utc
                where o.day < ?
                  and not exists (select from charging_interval i where i.account = o.account
                    and i.state in ('PROVISIONAL', 'CORRECTED', 'FINAL_PROVISIONAL')
                    and i.started_at >= utc.begin and i.started_at < utc.next)
                  and not exists (select from held_report h where h.account = o.account
                    and h.state = 'HELD' and h.started_at >= utc.begin and h.started_at < utc.next)
                  and not exists (select from rerating r where not r.stopped
                    and (r.account is null or r.account = o.account) and r.from_at < utc.next and r.to_at > utc.begin
                    and (r.listed_at is null or exists (select from rerating_item k
                      where k.rerating = r.number and k.outcome = 'WAITING')))
                order by o.day, o.account limit ? for update of o skip locked
                """)
            .param(
                LocalDate.ofInstant(now.minus(adjustmentTime).minus(INTERVAL_MAX), ZoneOffset.UTC))
            .param(BATCH)
            .query((row, _) -> new Day(row.getString(1), row.getObject(2, LocalDate.class)))
            .list();
    // Before the sums are read, so that nothing is refunded or rated again between them and their
    // credit.
    CreditLock.take(jdbc, due.stream().map(Day::account).toList());
    List<TariffVersion> versions = tariffs.versions();
    List<CapCredit> credits = due.stream().flatMap(day -> owed(day, versions).stream()).toList();
    post(credits, now);
    for (Day day : due) {
      jdbc.sql("delete from open_day where account = ? and day = ?")
          .param(day.account())
          .param(day.date())
          .update();
    }
    credits.forEach(credit -> credited.add(credit.excess().day().account()));
    return due.size();
  }

  /// A credit that is to be posted.
  ///
  /// @param amount what is above the cap less what was given back before; negative if that was more
  /// @param revision number of credits that the cap had before
  private record CapCredit(Excess excess, MicroDenarii amount, int revision) {}

  private record CapKey(String cap, String application, Instant begin) {
    static CapKey of(Excess excess) {
      return new CapKey(excess.cap().name(), excess.application(), excess.begin());
    }
  }

  private record Given(MicroDenarii sum, int credits, long first) {}

  // A day whose bills were made again has had its credits.
  private List<CapCredit> owed(Day day, List<TariffVersion> versions) {
    Map<CapKey, Given> given = given(day);
    long first = given.values().stream().mapToLong(Given::first).min().orElse(Long.MAX_VALUE);
    ReratedTariffs corrected = ReratedTariffs.of(jdbc, day.account(), versions);
    return CappedDay.compared(day, hours(day, first), corrected::at).stream()
        .map(excess -> {
          Given before = given.getOrDefault(CapKey.of(excess), new Given(MicroDenarii.ZERO, 0, 0));
          return new CapCredit(excess, excess.amount().minus(before.sum()), before.credits());
        })
        .filter(credit -> !credit.amount().isZero())
        .toList();
  }

  private Map<CapKey, Given> given(Day day) {
    Map<CapKey, Given> given = new HashMap<>();
    jdbc.sql(
            """
            select cap, application, began_at, sum(amount_microdenarii)::bigint, count(*), min(transaction_id) from cap_credit
            where account = ? and began_at >= ? and began_at < ? group by 1, 2, 3
            """)
        .param(day.account())
        .param(Timestamp.from(day.begin()))
        .param(Timestamp.from(day.end()))
        .query(row -> {
          given.put(
              new CapKey(row.getString(1), row.getString(2), row.getTimestamp(3).toInstant()),
              new Given(new MicroDenarii(row.getLong(4)), row.getInt(5), row.getLong(6)));
        });
    return given;
  }

  /// @param firstCredit transaction of the day's first credit. Refunds after it were made of what
  ///   the cap had left, so they do not lower what was paid
  private List<Hour> hours(Day day, long firstCredit) {
    return jdbc.sql(
            """
            select c.application, date_trunc('hour', c.started_at, 'UTC'),
              sum(c.net - (select coalesce(sum(r.amount_microdenarii), 0) from credit r where r.charge_id = c.id and r.transaction_id < ?))::bigint
            from current_charge c join charging_interval i on i.id = c.interval_id
            where i.state <> 'VOID' and c.account = ? and c.started_at >= ? and c.started_at < ?
            group by 1, 2 order by 2, 1
            """)
        .param(firstCredit)
        .param(day.account())
        .param(Timestamp.from(day.begin()))
        .param(Timestamp.from(day.end()))
        .query((row, _) ->
            new Hour(
                row.getString(1),
                row.getTimestamp(2).toInstant(),
                new MicroDenarii(row.getLong(3))))
        .list();
  }

  private void post(List<CapCredit> credits, Instant now) {
    List<Long> ids =
        ledger.post(
            credits.stream()
                .map(credit -> credit.excess().transaction(credit.amount(), credit.revision()))
                .toList(),
            now);
    for (int i = 0; i < ids.size(); i++) {
      CapCredit credit = credits.get(i);
      Excess excess = credit.excess();
      jdbc.sql(
              "insert into cap_credit (transaction_id, account, cap, application, began_at, tariff_version,"
                  + " paid_microdenarii, limit_microdenarii, amount_microdenarii, revision, rerating)"
                  + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (select max(number) from rerating"
                  + " where (account is null or account = ?) and from_at < ? and to_at > ?))")
          .param(ids.get(i))
          .param(excess.day().account())
          .param(excess.cap().name())
          .param(excess.application())
          .param(Timestamp.from(excess.begin()))
          .param(excess.tariffVersion())
          .param(excess.paid().value())
          .param(excess.limit().value())
          .param(credit.amount().value())
          .param(credit.revision())
          .param(excess.day().account())
          .param(Timestamp.from(excess.day().end()))
          .param(Timestamp.from(excess.day().begin()))
          .update();
      share(credit);
    }
  }

  // The wallets that paid get back what is above the cap. After a re-rating the cap may take more
  // again: then they pay it.
  private void share(CapCredit credit) {
    if (credit.amount().value() > 0) {
      wallets.giveBack(
          List.of(
              new Wallets.Saving(drawn(credit.excess()), credit.amount(), credit.excess().limit())),
          Wallets.Reason.CAP);
      return;
    }
    List<PaidCharge> charges = new ArrayList<>();
    MicroDenarii due = credit.amount().negated();
    for (PaidCharge charge : prepaid(credit.excess())) {
      MicroDenarii more = charge.net().compareTo(due) < 0 ? charge.net() : due;
      if (more.value() > 0) {
        charges.add(new PaidCharge(charge.id(), charge.account(), charge.beganAt(), more));
        due = due.minus(more);
      }
    }
    wallets.pay(charges, Wallets.Reason.CAP);
  }

  private JdbcClient.StatementSpec capped(String sql, Excess excess) {
    Instant end =
        excess.cap() == Cap.ACCOUNT_DAY
            ? excess.day().end()
            : excess.begin().plus(Duration.ofHours(1));
    return jdbc.sql(sql)
        .param("account", excess.day().account())
        .param("begin", Timestamp.from(excess.begin()))
        .param("end", Timestamp.from(end))
        .param("application", excess.application());
  }

  private Set<Long> drawn(Excess excess) {
    return capped(
            "select c.id from charge c join charging_interval i on i.id = c.interval_id"
                + CAPPED
                + " and i.state <> 'VOID' and exists (select from wallet_draw d where d.charge_id = c.id)",
            excess)
        .query(Long.class)
        .set();
  }

  // The charges of a cap with the part that wallets have not paid, the latest first.
  private List<PaidCharge> prepaid(Excess excess) {
    return capped(
            """
            select c.id, c.account, c.started_at, c.net
              - (select coalesce(sum(r.amount_microdenarii), 0) from credit r where r.charge_id = c.id)
              - (select coalesce(sum(d.amount_microdenarii), 0) from wallet_draw d where d.charge_id = c.id)
            from current_charge c join charging_interval i on i.id = c.interval_id
            """
                + CAPPED
                + " and i.state <> 'VOID' and exists (select from open_wallet o where o.account = :account)"
                + " order by c.started_at desc, c.id desc",
            excess)
        .query((row, _) ->
            new PaidCharge(
                row.getLong(1),
                row.getString(2),
                row.getTimestamp(3).toInstant(),
                new MicroDenarii(row.getLong(4))))
        .list();
  }
}
