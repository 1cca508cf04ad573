package io.viaduct.billing.settlement;

import io.viaduct.billing.account.Credits;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.transaction.support.TransactionTemplate;

/// Lists unsigned intervals: their receipt is missing. Carries out an operator's decision about
/// those whose time to sign is over.
public final class UnsignedIntervals {
  /// A posted interval without the device's signature.
  ///
  /// @param dueAt time from which the operator may decide
  /// @param refusal the device's reason for not signing, or null
  /// @param deviceUpBytes bytes sent in the session by the device's own count at its refusal, or
  ///   null
  /// @param deviceDownBytes bytes received in the session, likewise
  public record Unsigned(
      long id,
      IntervalKey key,
      String account,
      Instant startedAt,
      Instant endedAt,
      Instant dueAt,
      long preBytes,
      MicroDenarii charge,
      MicroDenarii discount,
      @Nullable String refusal,
      @Nullable Long deviceUpBytes,
      @Nullable Long deviceDownBytes) {}

  /// Criteria of a list. An empty text selects everything.
  public record Filter(String snapt, String account) {}

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
      select i.id, i.snapt_id, i.session_id, i.epoch, i.sequence, i.account, i.started_at, i.ended_at, r.pre_bytes,
        r.charge_microdenarii, r.discount_microdenarii, f.reason, f.up_bytes, f.down_bytes
      from charging_interval i join snapt_report r on r.interval_id = i.id left join receipt_refusal f on f.digest = r.digest
      """;

  private final TransactionTemplate transaction;
  private final JdbcTemplate jdbc;
  private final Ledger ledger;
  private final Duration decideAfter;
  private final RowMapper<Unsigned> reader;

  /// Reads and decides unsigned intervals in the given database.
  ///
  /// @param decideAfter time from the end of an interval until an operator may decide
  public UnsignedIntervals(
      TransactionTemplate transaction, JdbcTemplate jdbc, Ledger ledger, Duration decideAfter) {
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
                row.getLong(9),
                new MicroDenarii(row.getLong(10)),
                new MicroDenarii(row.getLong(11)),
                row.getString(12),
                row.getObject(13, Long.class),
                row.getObject(14, Long.class));
  }

  /// Returns unsigned intervals, latest first.
  ///
  /// @param dueAt selects the intervals that an operator may decide at this time; null for all
  /// @param before last id of the previous page
  public List<Unsigned> page(Filter filter, @Nullable Instant dueAt, long before, int limit) {
    return jdbc.query(
        SELECT
            + "where i.state = 'PROVISIONAL' and i.id < ? and (? = '' or i.snapt_id = ?) and (? = '' or i.account = ?)"
            + " and i.ended_at <= ? order by i.id desc limit ?",
        reader,
        before,
        filter.snapt(),
        filter.snapt(),
        filter.account(),
        filter.account(),
        Timestamp.from(dueAt == null ? Instant.parse("9999-01-01T00:00:00Z") : ended(dueAt)),
        limit);
  }

  /// Returns an interval that is unsigned now.
  public Optional<Unsigned> find(long id) {
    return jdbc.query(SELECT + "where i.id = ? and i.state = 'PROVISIONAL'", reader, id).stream()
        .findFirst();
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

  // The session's row is locked, as for postings, so that a receipt that arrives now waits.
  private Optional<Outcome> decideLocked(
      long id, Verdict verdict, Evidence.Decision decision, Instant now) {
    jdbc.query(
        "select 1 from relay_session s join charging_interval i on (i.snapt_id, i.session_id) = (s.snapt_id, s.session_id)"
            + " where i.id = ? for no key update of s",
        _ -> {},
        id);
    List<IntervalState> state =
        jdbc.query(
            "select state from charging_interval where id = ?",
            (row, _) -> IntervalState.valueOf(row.getString(1)),
            id);
    if (state.isEmpty()) {
      return Optional.empty();
    }
    if (state.getFirst() != IntervalState.PROVISIONAL) {
      return Optional.of(new Outcome.NotUnsigned(state.getFirst()));
    }
    Unsigned interval = jdbc.query(SELECT + "where i.id = ?", reader, id).getFirst();
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
            jdbc.queryForList(
                "select id from charge where interval_id = ? order by id", Long.class, id)));
  }

  // Takes the lock of refunds (V7), so that an amount is not both refunded and reversed.
  private boolean isRefunded(long id) {
    jdbc.query(
        "select pg_advisory_xact_lock(?, hashint8(id)) from charge where interval_id = ? order by id",
        _ -> {},
        Credits.CHARGE_LOCK,
        id);
    return Boolean.TRUE.equals(
        jdbc.queryForObject(
            "select exists (select from credit r join charge c on c.id = r.charge_id where c.interval_id = ?)",
            Boolean.class,
            id));
  }

  private void carryOut(
      Unsigned interval, Verdict verdict, Evidence.Decision decision, Instant now) {
    boolean isLate =
        Boolean.TRUE.equals(
            jdbc.queryForObject(
                "select received_at >= grace_ends_at from charging_interval where id = ?",
                Boolean.class,
                interval.id()));
    IntervalState next =
        switch (verdict) {
          case ACCEPTED -> isLate ? IntervalState.ADJUSTED : IntervalState.CORRECTED;
          case VOIDED -> IntervalState.VOID;
        };
    jdbc.update("update charging_interval set state = ? where id = ?", next.name(), interval.id());
    jdbc.update(
        "insert into interval_decision (interval_id, kind, decided_by, reason, decided_at) values (?, ?, ?, ?, ?)",
        interval.id(),
        verdict.name(),
        decision.operator(),
        decision.reason(),
        Timestamp.from(now));
    if (verdict == Verdict.VOIDED) {
      ledger.post(
          List.of(
              LedgerTransaction.reversal(
                  interval.id(),
                  interval.key().text(),
                  interval.account(),
                  isLate,
                  interval.charge(),
                  interval.discount())),
          now);
    }
  }

  /// Returns the sum of all unsigned charges.
  public MicroDenarii outstanding() {
    Long sum =
        jdbc.queryForObject(
            "select coalesce(sum(r.charge_microdenarii), 0)::bigint from charging_interval i"
                + " join snapt_report r on r.interval_id = i.id where i.state = 'PROVISIONAL'",
            Long.class);
    return new MicroDenarii(sum == null ? 0 : sum);
  }

  /// Returns the number of intervals that an operator may decide.
  public long due(Instant now) {
    Long count =
        jdbc.queryForObject(
            "select count(*) from charging_interval where state = 'PROVISIONAL' and ended_at <= ?",
            Long.class,
            Timestamp.from(ended(now)));
    return count == null ? 0 : count;
  }
}
