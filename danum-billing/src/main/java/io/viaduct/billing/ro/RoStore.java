package io.viaduct.billing.ro;

import io.viaduct.billing.credit.CreditLock;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.ro.RoRequest.Kind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Keeps what the charging system has granted to accounts, as their credit limits. Nothing here
/// waits for the charging system: a request is stored in one transaction, and its answer in another
/// one.
public final class RoStore {
  // Longer than the library waits for an answer with all its retransmissions.
  private static final Duration LEASE = Duration.ofSeconds(60);

  // A call that was refused leaves an ended session, and its user tries again.
  private static final Duration RECENT = Duration.ofMinutes(1);

  // The same conditions as in RoAccount#due, which a test compares: accounts of which nothing is
  // due would hide others.
  private static final String CANDIDATES =
      """
      select a.account from (
        select account from credit_session where not ended or heard_at > :recent
        union select account from ro_account where session_id is not null or pending is not null) a
      join credit_account c on c.account = a.account
      left join ro_account r on r.account = a.account
      cross join lateral (select coalesce(sum(reserved_microdenarii), 0) as reserved
        from credit_quota where account = a.account) q
      cross join lateral (select q.reserved > 0 or exists (select from credit_session s
        where s.account = a.account and (not s.ended or s.heard_at > :recent)) as needed) n
      where r.account is null or r.asked_until <= :now and (r.pending is not null
        or n.needed and (r.session_id is null or r.valid_until <= :now or not r.last_grant
          and r.granted_microdenarii - greatest(0, r.base_microdenarii - c.balance_microdenarii - r.told_microdenarii)
            - q.reserved < :half)
        or not n.needed and r.valid_until < :overdue)
      order by r.asked_until nulls first limit :limit
      """;

  private static final String ACCOUNT =
      """
      select c.balance_microdenarii, r.*,
        coalesce((select sum(q.reserved_microdenarii) from credit_quota q where q.account = c.account), 0) as reserved,
        exists (select from credit_session s where s.account = c.account and (not s.ended or s.heard_at > :recent)) as live
      from credit_account c join ro_account r on r.account = c.account where c.account = :account
      """;

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;

  RoStore(TransactionTemplate transaction, JdbcClient jdbc) {
    this.transaction = transaction;
    this.jdbc = jdbc;
  }

  /// Returns accounts that may have a request that is due, at most so many.
  List<String> candidates(RoRules rules, Instant now, int limit) {
    return jdbc.sql(CANDIDATES)
        .param("now", Timestamp.from(now))
        .param("recent", Timestamp.from(now.minus(RECENT)))
        .param("overdue", Timestamp.from(now.minus(rules.idle())))
        .param("half", rules.chunk().value() / 2)
        .param("limit", limit)
        .query(String.class)
        .list();
  }

  /// Stores the request of an account that is due, and takes it for this instance.
  Optional<RoRequest> take(String account, RoRules rules, RoIds ids, Instant now) {
    return transaction.execute(_ -> {
      CreditLock.take(jdbc, List.of(account));
      open(account, now);
      return isAsked(account, now) ? Optional.empty() : taken(account, rules, ids, now);
    });
  }

  private Optional<RoRequest> taken(String account, RoRules rules, RoIds ids, Instant now) {
    Optional<RoRequest> before = pending(account);
    if (before.isPresent()) {
      lease(account, now);
      sent(account);
      return before;
    }
    RoAccount credit = find(account, now);
    Optional<Kind> due = credit.due(rules, now);
    due.ifPresent(kind -> begin(credit, kind, rules, ids, now));
    Optional<RoRequest> begun = due.flatMap(_ -> pending(account));
    begun.ifPresent(_ -> sent(account));
    return begun;
  }

  // Without a row of its own an account has no credit from the charging system yet. Money that is
  // here then pays first; the charging system is told only what is used beyond it.
  private void open(String account, Instant now) {
    int opened =
        jdbc.sql(
                """
                insert into ro_account (account, base_microdenarii, valid_until, asked_until)
                select account, least(balance_microdenarii, 0), :now, :now from credit_account where account = :account
                on conflict do nothing
                """)
            .param("account", account)
            .param("now", Timestamp.from(now))
            .update();
    if (opened == 1) {
      limit(account);
    }
  }

  private boolean isAsked(String account, Instant now) {
    return jdbc.sql("select asked_until > ? from ro_account where account = ?")
        .params(Timestamp.from(now), account)
        .query(Boolean.class)
        .single();
  }

  private void lease(String account, Instant now) {
    jdbc.sql("update ro_account set asked_until = ? where account = ?")
        .params(Timestamp.from(now.plus(LEASE)), account)
        .update();
  }

  // From now on this process may end between the request and its answer.
  private void sent(String account) {
    jdbc.sql("update ro_account set pending_unanswered = true where account = ?")
        .param(account)
        .update();
  }

  private Optional<RoRequest> pending(String account) {
    return jdbc.sql("select * from ro_account where account = ? and pending is not null")
        .param(account)
        .query((row, _) ->
            new RoRequest(
                account,
                Kind.valueOf(row.getString("pending")),
                row.getString("session_id"),
                row.getLong("next_number"),
                amount(row, "pending_used_microdenarii"),
                amount(row, "pending_wanted_microdenarii"),
                row.getInt("pending_end_to_end"),
                row.getTimestamp("pending_at").toInstant(),
                row.getBoolean("pending_unanswered")))
        .optional();
  }

  /// Reads an account that has a row here.
  RoAccount find(String account, Instant now) {
    return jdbc.sql(ACCOUNT)
        .param("account", account)
        .param("recent", Timestamp.from(now.minus(RECENT)))
        .query((row, _) -> account(account, row))
        .single();
  }

  private static RoAccount account(String account, ResultSet row) throws SQLException {
    return new RoAccount(
        account,
        amount(row, "balance_microdenarii"),
        amount(row, "reserved"),
        row.getBoolean("live"),
        amount(row, "base_microdenarii"),
        amount(row, "told_microdenarii"),
        amount(row, "granted_microdenarii"),
        row.getString("session_id"),
        row.getBoolean("last_grant"),
        row.getTimestamp("valid_until").toInstant());
  }

  private static MicroDenarii amount(ResultSet row, String column) throws SQLException {
    return new MicroDenarii(row.getLong(column));
  }

  // The first request of a session tells no use (RFC 8506 section 5.2); the next one does.
  private void begin(RoAccount credit, Kind kind, RoRules rules, RoIds ids, Instant now) {
    jdbc.sql(
            """
            update ro_account set pending = :kind, pending_used_microdenarii = :used,
              pending_wanted_microdenarii = :wanted, asked_until = :lease,
              pending_end_to_end = :endToEnd, pending_at = :now, pending_unanswered = false,
              session_id = coalesce(session_id, :session), next_number = case when session_id is null then 0 else next_number end
            where account = :account
            """)
        .param("account", credit.account())
        .param("kind", kind.name())
        .param("used", kind == Kind.INITIAL ? 0L : credit.untold().value())
        .param("wanted", credit.wanted(kind, rules).value())
        .param("lease", Timestamp.from(now.plus(LEASE)))
        .param("session", ids.session())
        .param("endToEnd", ids.endToEnd())
        .param("now", Timestamp.from(now))
        .update();
  }

  /// Stores the answer to a request, and changes the credit of the account with it.
  void answered(RoRequest request, RoAnswer answer, RoRules rules, Instant now) {
    transaction.executeWithoutResult(_ -> {
      CreditLock.take(jdbc, List.of(request.account()));
      boolean isOurs =
          pending(request.account())
              .filter(known -> known.session().equals(request.session()))
              .filter(known -> known.number() == request.number())
              .isPresent();
      if (isOurs) {
        switch (answer.outcome()) {
          case GRANTED, REFUSED, OTHER_UNIT -> known(request, answer, rules, now);
          case UNKNOWN -> forgotten(request, rules, now);
          case NOT_TAKEN, UNANSWERED -> unanswered(request, answer, rules, now);
        }
        limit(request.account());
      }
    });
  }

  private void known(RoRequest request, RoAnswer answer, RoRules rules, Instant now) {
    boolean hasEnded = request.kind() == Kind.TERMINATION;
    boolean isGranted = answer.outcome() == RoAnswer.Outcome.GRANTED;
    Duration validity = answer.validity().orElse(isGranted ? rules.validity() : rules.retry());
    jdbc.sql(
            """
            update ro_account set told_microdenarii = told_microdenarii + pending_used_microdenarii,
              granted_microdenarii = :granted, last_grant = :last, valid_until = :until, next_number = next_number + 1,
              session_id = case when :ended then null else session_id end,
              pending = null, pending_used_microdenarii = 0, pending_wanted_microdenarii = 0, asked_until = :now
            where account = :account
            """)
        .param("account", request.account())
        .param("granted", hasEnded ? 0L : answer.granted().value())
        .param("last", answer.isLast())
        .param("until", Timestamp.from(now.plus(validity)))
        .param("ended", hasEnded)
        .param("now", Timestamp.from(now))
        .update();
  }

  private void forgotten(RoRequest request, RoRules rules, Instant now) {
    jdbc.sql(
            """
            update ro_account set granted_microdenarii = 0, last_grant = true, session_id = null, pending = null,
              pending_used_microdenarii = 0, pending_wanted_microdenarii = 0, asked_until = :again
            where account = :account
            """)
        .param("account", request.account())
        .param("again", Timestamp.from(now.plus(rules.retry())))
        .update();
  }

  // A grant whose time is over is void (RFC 8506 section 5.6.2). A request that was not taken is no
  // copy when it is sent again, unless another one before it had no answer.
  private void unanswered(RoRequest request, RoAnswer answer, RoRules rules, Instant now) {
    jdbc.sql(
            """
            update ro_account set asked_until = :again, pending_unanswered = :unanswered,
              granted_microdenarii = case when valid_until < :now then 0 else granted_microdenarii end
            where account = :account
            """)
        .param("account", request.account())
        .param("again", Timestamp.from(now.plus(rules.retry())))
        .param(
            "unanswered", answer.outcome() == RoAnswer.Outcome.UNANSWERED || request.isRepeated())
        .param("now", Timestamp.from(now))
        .update();
  }

  /// Lets the account's session ask again at once, because the charging system wants it.
  ///
  /// @return false if there is no such session
  public boolean renew(String session, Instant now) {
    return jdbc.sql(
                "update ro_account set valid_until = ?, last_grant = false"
                    + " where session_id = ? and pending is distinct from 'TERMINATION'")
            .params(Timestamp.from(now), session)
            .update()
        == 1;
  }

  // Balance and limit together are what is granted and not used. The change of the version pushes
  // it to the sessions of the account.
  private void limit(String account) {
    jdbc.sql(
            """
            update credit_account c set rules_version = c.rules_version + 1, credit_limit_microdenarii =
              greatest(0, r.granted_microdenarii + r.told_microdenarii - r.base_microdenarii)
            from ro_account r where r.account = c.account and c.account = ?
              and c.credit_limit_microdenarii is distinct from
                greatest(0, r.granted_microdenarii + r.told_microdenarii - r.base_microdenarii)
            """)
        .param(account)
        .update();
  }
}
