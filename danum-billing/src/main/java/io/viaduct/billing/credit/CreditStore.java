package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Stores what accounts may spend, and the sessions that ask for it. Every change of an account's
/// reservations is made under the lock of its row.
final class CreditStore {
  static final String SELECT =
      """
      select c.account, a.state, c.balance_microdenarii, c.credit_limit_microdenarii, c.day_cap_microdenarii,
        c.month_cap_microdenarii, c.state, c.rules_version,
        coalesce((select sum(s.spent_microdenarii) from spending s where s.account = c.account and s.day = :day), 0),
        coalesce((select sum(s.spent_microdenarii) from spending s where s.account = c.account
          and s.day between :month and :day), 0),
        coalesce((select sum(q.reserved_microdenarii) from credit_quota q where q.account = c.account), 0), c.blocked,
        c.low_microdenarii, c.reached_cap, c.reached_cap_on, c.reached_cap_microdenarii,
        coalesce((select sum(o.rest_microdenarii) from open_wallet o
          where o.account = c.account and o.expires_at <= :now), 0)
      from credit_account c join account a on a.id = c.account where c.account = :account
      """;

  private final JdbcTemplate batches;
  private final JdbcClient jdbc;
  private final MicroDenarii defaultLimit;

  /// @param defaultLimit credit limit of accounts without one of their own
  CreditStore(JdbcTemplate batches, MicroDenarii defaultLimit) {
    this.batches = batches;
    this.defaultLimit = defaultLimit;
    jdbc = JdbcClient.create(batches);
  }

  MicroDenarii defaultLimit() {
    return defaultLimit;
  }

  /// A session as stored.
  ///
  /// @param number number of its last request
  record StoredSession(String account, long number, boolean isEnded) {}

  /// Locks an account's row and then reads its credit. The sums are read after the lock.
  ///
  /// @return empty if there is no such account
  Optional<AccountCredit> lock(String account, Instant now) {
    CreditLock.take(jdbc, List.of(account));
    return find(account, now);
  }

  /// Reads an account's credit, without a lock.
  Optional<AccountCredit> find(String account, Instant now) {
    LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    return jdbc.sql(SELECT)
        .param("account", account)
        .param("day", today)
        .param("month", today.withDayOfMonth(1))
        .param("now", Timestamp.from(now))
        .query((row, _) -> credit(row, today))
        .optional();
  }

  private AccountCredit credit(ResultSet row, LocalDate today) throws SQLException {
    MicroDenarii limit = amount(row, 4);
    return new AccountCredit(
        row.getString(1),
        access(row.getString(2), row.getBoolean(12)),
        new MicroDenarii(row.getLong(3)),
        limit == null ? defaultLimit : limit,
        new AccountCredit.Caps(amount(row, 5), amount(row, 6)),
        new MicroDenarii(row.getLong(9)),
        new MicroDenarii(row.getLong(10)),
        new MicroDenarii(row.getLong(11)),
        CreditState.valueOf(row.getString(7)),
        reachedCap(row, today),
        row.getLong(8),
        amount(row, 13),
        new MicroDenarii(row.getLong(17)));
  }

  private static @Nullable ReachedCap reachedCap(ResultSet row, LocalDate today)
      throws SQLException {
    if (row.getString(14) == null) {
      return null;
    }
    ReachedCap reached =
        new ReachedCap(
            ReachedCap.Period.valueOf(row.getString(14)),
            row.getObject(15, LocalDate.class),
            new MicroDenarii(row.getLong(16)));
    return reached.isOf(today) ? reached : null;
  }

  private static AccountCredit.Access access(String state, boolean isBlocked) {
    return switch (state) {
      case "active" -> isBlocked ? AccountCredit.Access.BLOCKED : AccountCredit.Access.OPEN;
      case "suspended" -> AccountCredit.Access.SUSPENDED;
      case "closed" -> AccountCredit.Access.CLOSED;
      default -> throw new IllegalStateException("account state '%s'".formatted(state));
    };
  }

  private static @Nullable MicroDenarii amount(ResultSet row, int column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : new MicroDenarii(value);
  }

  Optional<StoredSession> session(SessionKey key) {
    return jdbc.sql(
            "select account, number, ended from credit_session where snapt_id = ? and session_id = ?")
        .param(key.snapt())
        .param(key.id())
        .query((row, _) -> new StoredSession(row.getString(1), row.getLong(2), row.getBoolean(3)))
        .optional();
  }

  /// Stores the number of a session's request, and whether it has ended.
  void heard(SessionRequest request, Instant now) {
    heard(request.session(), request.account(), request.number(), request.isLast(), now);
  }

  /// Stores the number of a session's request, and whether the session has ended.
  void heard(SessionKey session, String account, long number, boolean isEnded, Instant now) {
    jdbc.sql(
            """
            insert into credit_session (snapt_id, session_id, account, number, heard_at, ended)
            values (:snapt, :session, :account, :number, :now, :ended)
            on conflict (snapt_id, session_id) do update
              set number = excluded.number, heard_at = excluded.heard_at, ended = excluded.ended
            """)
        .param("snapt", session.snapt())
        .param("session", session.id())
        .param("account", account)
        .param("number", number)
        .param("now", Timestamp.from(now))
        .param("ended", isEnded)
        .update();
  }

  /// Stores that a SNAPT has credit control. A write once a day is enough.
  void controls(String snapt, Instant now) {
    jdbc.sql(
            """
            insert into credit_snapt as s (snapt_id, heard_at) values (?, ?) on conflict (snapt_id) do update
              set heard_at = excluded.heard_at where s.heard_at < excluded.heard_at - interval '1 day'
            """)
        .param(snapt)
        .param(Timestamp.from(now))
        .update();
  }

  Quotas quotas() {
    return new Quotas(batches);
  }

  /// Returns up to `limit` accounts with quotas whose time is over.
  List<String> lapsed(Instant now, int limit) {
    return jdbc.sql(
            "select account from credit_quota where valid_until < ? and (allowed_bytes > used_bytes or cut)"
                + " group by account limit ?")
        .param(Timestamp.from(now))
        .param(limit)
        .query(String.class)
        .list();
  }

  /// Deletes sessions of which nothing was heard for long, with their reservations.
  ///
  /// @return number of sessions that had a reservation
  int forget(Instant before) {
    return jdbc.sql(
            """
            with old as (delete from credit_session where (snapt_id, session_id) in
                (select snapt_id, session_id from credit_session where heard_at < :before limit 1000)
              returning snapt_id, session_id)
            select count(*) from old where exists (select from credit_quota q
              where (q.snapt_id, q.session_id) = (old.snapt_id, old.session_id) and q.reserved_microdenarii > 0)
            """)
        .param("before", Timestamp.from(before))
        .query(Integer.class)
        .single();
  }

  /// Returns the sum of all reservations, in micro-denarii.
  long reserved() {
    return jdbc.sql("select coalesce(sum(reserved_microdenarii), 0)::bigint from credit_quota")
        .query(Long.class)
        .single();
  }

  /// Returns the sum of what balances are below their credit limits, in micro-denarii.
  long belowLimit() {
    return jdbc.sql(
            "select coalesce(sum(-balance_microdenarii - coalesce(credit_limit_microdenarii, :limit)), 0)::bigint"
                + " from credit_account"
                + " where balance_microdenarii < -coalesce(credit_limit_microdenarii, :limit)")
        .param("limit", defaultLimit.value())
        .query(Long.class)
        .single();
  }

  /// Stores the state of an account, the cap that it has reached, and the balance below which it is
  /// to be looked at again.
  void state(String account, CreditState state, @Nullable ReachedCap reached, long lookBelow) {
    jdbc.sql(
            """
            update credit_account set state = :state, look_below_microdenarii = :below, reached_cap = :cap::text,
              reached_cap_on = :day::date, reached_cap_microdenarii = :amount::bigint
            where account = :account
              and (state, look_below_microdenarii, reached_cap, reached_cap_on, reached_cap_microdenarii)
                is distinct from (:state, :below, :cap::text, :day::date, :amount::bigint)
            """)
        .param("state", state.name())
        .param("below", lookBelow)
        .param("cap", reached == null ? null : reached.period().name())
        .param("day", reached == null ? null : reached.on())
        .param("amount", reached == null ? null : reached.amount().value())
        .param("account", account)
        .update();
  }

  /// Replaces an account's credit limit.
  ///
  /// @param version version of the rules that it replaces
  /// @return false if the rules have changed since that version
  boolean limit(String account, long version, MicroDenarii limit) {
    return jdbc.sql(
                "update credit_account set credit_limit_microdenarii = ?, rules_version = rules_version + 1"
                    + " where account = ? and rules_version = ?")
            .param(limit.value())
            .param(account)
            .param(version)
            .update()
        == 1;
  }

  /// Replaces a user's caps.
  ///
  /// @param version version of the rules that they replace
  /// @return false if the rules have changed since that version
  boolean caps(String account, long version, AccountCredit.Caps caps) {
    return jdbc.sql(
                "update credit_account set day_cap_microdenarii = ?, month_cap_microdenarii = ?,"
                    + " rules_version = rules_version + 1 where account = ? and rules_version = ?")
            .param(value(caps.day()))
            .param(value(caps.month()))
            .param(account)
            .param(version)
            .update()
        == 1;
  }

  /// Replaces the credit below which a user wants to be told.
  ///
  /// @param low null for the operator's threshold
  /// @return false if the rules have changed since that version
  boolean low(String account, long version, @Nullable MicroDenarii low) {
    return jdbc.sql(
                "update credit_account set low_microdenarii = ?, rules_version = rules_version + 1"
                    + " where account = ? and rules_version = ?")
            .param(value(low))
            .param(account)
            .param(version)
            .update()
        == 1;
  }

  /// Returns what flows that began after a time, and calls that were charged after it, cost. The
  /// kinds are those that move `spending`.
  MicroDenarii spentSince(String account, Instant from) {
    return new MicroDenarii(
        jdbc.sql(
                """
                select coalesce(-sum(p.amount_microdenarii), 0)::bigint
                from ledger_transaction t join posting p on p.transaction_id = t.id
                left join charging_interval i on i.id = t.interval_id
                where p.account = ? and t.posted_at > ? and coalesce(i.started_at, t.posted_at) > ?
                  and t.kind in ('PROVISIONAL', 'CORRECTION', 'ADJUSTMENT', 'REVERSAL', 'RERATING', 'CALL')
                """)
            .param(LedgerAccount.user(account).name())
            .param(Timestamp.from(from))
            .param(Timestamp.from(from))
            .query(Long.class)
            .single());
  }

  List<CreditNotice> notices(List<Long> ids) {
    return jdbc.sql(
            "select account, state, credit_microdenarii, noticed_at from credit_notice"
                + " where id = any(?) order by id")
        .param(ids.toArray(Long[]::new))
        .query((row, _) ->
            new CreditNotice(
                row.getString(1),
                CreditNotice.Edge.valueOf(row.getString(2)),
                new MicroDenarii(row.getLong(3)),
                row.getTimestamp(4).toInstant()))
        .list();
  }

  private static @Nullable Long value(@Nullable MicroDenarii amount) {
    return amount == null ? null : amount.value();
  }
}
