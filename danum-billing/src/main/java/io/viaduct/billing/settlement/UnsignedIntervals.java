package io.viaduct.billing.settlement;

import io.viaduct.billing.account.Credits;
import io.viaduct.billing.credit.CreditLock;
import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Lists unsigned intervals: their receipt is missing. Carries out an operator's decision about
/// those whose time to sign is over.
public final class UnsignedIntervals {
  /// A posted interval without the device's signature.
  ///
  /// @param dueAt time from which the operator may decide
  /// @param owner owner of the SNAPT
  /// @param lines the bill of the interval
  /// @param refusal the device's reason for not signing, or null
  /// @param deviceUpBytes bytes sent in the session by the device's own count at its refusal, or
  ///   null
  /// @param deviceDownBytes bytes received in the session, likewise
  /// @param snaptBytes bytes of the session's posted reports up to this one, both directions: what
  ///   the SNAPT has counted; null if the device sent no count to compare it with
  public record Unsigned(
      long id,
      IntervalKey key,
      String account,
      Instant startedAt,
      Instant endedAt,
      Instant dueAt,
      long preBytes,
      String owner,
      BillLines lines,
      @Nullable String refusal,
      @Nullable Long deviceUpBytes,
      @Nullable Long deviceDownBytes,
      @Nullable Long snaptBytes) {}

  /// Criteria of a list. An empty text selects everything.
  ///
  /// @param refusal a device's reason for not signing
  public record Filter(String snapt, String account, String refusal) {}

  /// The decisions that an operator may make.
  public enum Verdict {
    /// The interval counts as signed and is settled.
    ACCEPTED,
    /// The charge of the interval is reversed.
    VOIDED
  }

  /// The result of a decision.
  public sealed interface Outcome {
    /// The decision was carried out.
    ///
    /// @param chargeIds charges whose state has changed
    record Done(String account, List<Long> chargeIds) implements Outcome {}

    /// The device still has time to sign.
    record NotDue(Instant dueAt) implements Outcome {}

    /// A part of the interval was refunded, so it can only be accepted.
    record Refunded() implements Outcome {}

    /// The interval was signed or decided meanwhile.
    record NotUnsigned(IntervalState state) implements Outcome {}
  }

  private static final String SELECT =
      """
      select i.id, i.snapt_id, i.session_id, i.epoch, i.sequence, i.account, i.started_at, i.ended_at, i.owner,
        f.reason, f.up_bytes, f.down_bytes, case when f.digest is not null then (select sum(q.pre_bytes)::bigint
          from interval_key j join snapt_report q on q.interval_id = j.interval_id
          where (j.snapt_id, j.session_id, j.epoch) = (i.snapt_id, i.session_id, i.epoch) and j.sequence <= i.sequence) end,
        r.*
      from charging_interval i join current_report r on r.interval_id = i.id left join receipt_refusal f on f.digest = r.digest
      """;

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;
  private final Ledger ledger;
  private final Duration decideAfter;
  private final RowMapper<Unsigned> reader;

  /// Reads and decides unsigned intervals in the given database.
  ///
  /// @param decideAfter time from the end of an interval until an operator may decide
  public UnsignedIntervals(
      TransactionTemplate transaction, JdbcClient jdbc, Ledger ledger, Duration decideAfter) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.ledger = ledger;
    this.decideAfter = decideAfter;
    this.reader =
        (row, _) ->
            new Unsigned(
                row.getLong(1),
                new IntervalKey(row.getString(2), row.getString(3), row.getLong(4), row.getLong(5)),
                row.getString(6),
                row.getTimestamp(7).toInstant(),
                row.getTimestamp(8).toInstant(),
                row.getTimestamp(8).toInstant().plus(decideAfter),
                row.getLong("pre_bytes"),
                row.getString(9),
                BillColumns.read(row),
                row.getString(10),
                row.getObject(11, Long.class),
                row.getObject(12, Long.class),
                row.getObject(13, Long.class));
  }

  /// Returns unsigned intervals, latest first.
  ///
  /// @param dueAt selects the intervals that an operator may decide at this time; null for all
  /// @param before last id of the previous page
  public List<Unsigned> page(Filter filter, @Nullable Instant dueAt, long before, int limit) {
    return jdbc.sql(
            SELECT
                + "where i.state = 'PROVISIONAL' and i.id < :before and (:snaptId = '' or i.snapt_id = :snaptId) and (:account = '' or i.account = :account)"
                + " and (:refusal = '' or f.reason = :refusal)"
                + " and i.ended_at <= :endedAt order by i.id desc limit :limit")
        .param("before", before)
        .param("snaptId", filter.snapt())
        .param("account", filter.account())
        .param("refusal", filter.refusal())
        .param(
            "endedAt",
            Timestamp.from(dueAt == null ? Instant.parse("9999-01-01T00:00:00Z") : ended(dueAt)))
        .param("limit", limit)
        .query(reader)
        .list();
  }

  /// Returns an interval that is unsigned now.
  public Optional<Unsigned> find(long id) {
    return jdbc.sql(SELECT + "where i.id = ? and i.state = 'PROVISIONAL'")
        .param(id)
        .query(reader)
        .optional();
  }

  private Instant ended(Instant dueAt) {
    return dueAt.minus(decideAfter);
  }

  /// Accepts or voids an interval.
  ///
  /// @return empty if there is no such interval
  public Optional<Outcome> decide(
      long id, Verdict verdict, Evidence.Decision decision, Instant now) {
    return transaction.execute(_ -> decideLocked(id, verdict, decision, now));
  }

  // The rows of account and session are locked, in the order of postings, so that a receipt that
  // arrives now waits.
  private Optional<Outcome> decideLocked(
      long id, Verdict verdict, Evidence.Decision decision, Instant now) {
    CreditLock.take(
        jdbc,
        jdbc.sql("select account from charging_interval where id = ?")
            .param(id)
            .query(String.class)
            .list());
    jdbc.sql(
            "select 1 from relay_session s join charging_interval i on (i.snapt_id, i.session_id) = (s.snapt_id, s.session_id)"
                + " where i.id = ? for no key update of s")
        .param(id)
        .query(_ -> {});
    List<IntervalState> state =
        jdbc.sql("select state from charging_interval where id = ?")
            .param(id)
            .query((row, _) -> IntervalState.valueOf(row.getString(1)))
            .list();
    if (state.isEmpty()) {
      return Optional.empty();
    }
    if (state.getFirst() != IntervalState.PROVISIONAL) {
      return Optional.of(new Outcome.NotUnsigned(state.getFirst()));
    }
    Unsigned interval = jdbc.sql(SELECT + "where i.id = ?").param(id).query(reader).single();
    if (now.isBefore(interval.dueAt())) {
      return Optional.of(new Outcome.NotDue(interval.dueAt()));
    }
    if (verdict == Verdict.VOIDED && isRefunded(id)) {
      return Optional.of(new Outcome.Refunded());
    }
    carryOut(interval, verdict, decision, now);
    return Optional.of(
        new Outcome.Done(
            interval.account(),
            jdbc.sql("select id from charge where interval_id = ? order by id")
                .param(id)
                .query(Long.class)
                .list()));
  }

  // Takes the lock of refunds (V7), so that an amount is not both refunded and reversed.
  private boolean isRefunded(long id) {
    jdbc.sql(
            "select pg_advisory_xact_lock(?, hashint8(id)) from charge where interval_id = ? order by id")
        .param(Credits.CHARGE_LOCK)
        .param(id)
        .query(_ -> {});
    return jdbc.sql(
            "select exists (select from credit r join charge c on c.id = r.charge_id where c.interval_id = ?)")
        .param(id)
        .query(Boolean.class)
        .single();
  }

  private void carryOut(
      Unsigned interval, Verdict verdict, Evidence.Decision decision, Instant now) {
    switch (verdict) {
      case ACCEPTED ->
          jdbc.sql(
                  "update charging_interval set state ="
                      + " case when received_at < grace_ends_at then 'CORRECTED' else 'ADJUSTED' end where id = ?")
              .param(interval.id())
              .update();
      case VOIDED -> Reversal.post(jdbc, ledger, interval.id(), now);
    }
    jdbc.sql(
            "insert into interval_decision (interval_id, kind, decided_by, reason, decided_at) values (:intervalId, :kind, :decidedBy, :reason, :decidedAt)")
        .param("intervalId", interval.id())
        .param("kind", verdict.name())
        .param("decidedBy", decision.operator())
        .param("reason", decision.reason())
        .param("decidedAt", Timestamp.from(now))
        .update();
  }

  /// Returns the sum of all unsigned charges.
  public MicroDenarii outstanding() {
    return new MicroDenarii(
        jdbc.sql(
                "select coalesce(sum(r.gross), 0)::bigint from charging_interval i"
                    + " join current_report r on r.interval_id = i.id where i.state = 'PROVISIONAL'")
            .query(Long.class)
            .single());
  }

  /// Returns the number of intervals that an operator may decide.
  public long due(Instant now) {
    return jdbc.sql(
            "select count(*) from charging_interval where state = 'PROVISIONAL' and ended_at <= ?")
        .param(Timestamp.from(ended(now)))
        .query(Long.class)
        .single();
  }
}
