package io.viaduct.billing.settlement;

import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Keeps discrepancies: reports whose SNAPT has counted more than 5 % more or less than the device,
/// of the session or of the interval. A discrepancy changes no charge. An operator investigates and
/// closes it.
public final class Discrepancies {
  /// A discrepancy.
  ///
  /// @param snaptBytes bytes of the session up to the report, or of the interval, both directions,
  ///   by the SNAPT
  /// @param deviceBytes likewise, by the device
  /// @param basis what both numbers count
  /// @param notes one for each step of an operator, in their order
  public record Discrepancy(
      long id,
      IntervalKey key,
      String account,
      Instant startedAt,
      BigInteger snaptBytes,
      BigInteger deviceBytes,
      Instant openedAt,
      DiscrepancyState state,
      Basis basis,
      List<Note> notes) {}

  /// Span of the counts of both ends.
  public enum Basis {
    /// The session so far, by a receipt that the device refused.
    SESSION,
    /// One interval, by the reports of both ends.
    INTERVAL;

    /// Returns the name that the interfaces use.
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// A step of an operator.
  public record Note(DiscrepancyState state, String text, String operator, Instant at) {}

  /// The result of [#move].
  public sealed interface Outcome {
    /// The step was made.
    record Done(Discrepancy discrepancy) implements Outcome {}

    /// The present state does not allow it.
    record NotAllowed(DiscrepancyState state) implements Outcome {}
  }

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;

  public Discrepancies(TransactionTemplate transaction, JdbcClient jdbc) {
    this.transaction = transaction;
    this.jdbc = jdbc;
  }

  /// Compares the counts of a report that the device has refused to sign, inside the caller's
  /// transaction. Both ends count their session from its begin, so the SNAPT's count is the sum of
  /// its posted reports and of this one.
  static void compare(JdbcClient jdbc, MeasuredInterval report, boolean isPosted, Instant now) {
    Evidence.Refusal refusal = report.evidence().refusal();
    if (refusal == null || !refusal.reason().equals("COUNTS_DIFFER")) {
      return;
    }
    IntervalKey key = report.key();
    jdbc.sql(
            """
            insert into discrepancy (digest, snapt_id, session_id, epoch, sequence, account, started_at,
              snapt_bytes, device_bytes, opened_at)
            select :digest, :snapt, :session, :epoch, :sequence, :account, :startedAt, c.snapt, c.device, :now
            from (select :own::numeric + coalesce((select sum(r.pre_bytes) from interval_key k
                join snapt_report r on r.interval_id = k.interval_id
                where (k.snapt_id, k.session_id, k.epoch) = (:snapt, :session, :epoch) and k.sequence <= :sequence), 0) as snapt,
              :device::numeric as device) c
            where abs(c.snapt - c.device) > 0.05 * greatest(c.snapt, c.device)
            on conflict (digest) do nothing
            """)
        .param("digest", report.original().digest())
        .param("snapt", key.snapt())
        .param("session", key.session())
        .param("epoch", key.epoch())
        .param("sequence", key.sequence())
        .param("account", report.account())
        .param("startedAt", Timestamp.from(report.startedAt()))
        .param("own", isPosted ? 0L : report.preBytes())
        .param("device", unsigned(refusal.upBytes()).add(unsigned(refusal.downBytes())).toString())
        .param("now", Timestamp.from(now))
        .update();
  }

  /// The counts of both ends in one interval.
  ///
  /// @param digest of the SNAPT's report
  record Counts(
      byte[] digest,
      IntervalKey key,
      String account,
      Instant startedAt,
      long snaptBytes,
      long deviceBytes) {}

  /// Opens a discrepancy between two reports of one interval, unless the SNAPT's report has one.
  static void open(JdbcClient jdbc, Counts counts, Instant now) {
    IntervalKey key = counts.key();
    jdbc.sql(
            """
            insert into discrepancy (digest, snapt_id, session_id, epoch, sequence, account, started_at,
              snapt_bytes, device_bytes, opened_at, basis)
            values (:digest, :snapt, :session, :epoch, :sequence, :account, :startedAt, :snaptBytes, :deviceBytes, :now,
              'INTERVAL')
            on conflict (digest) do nothing
            """)
        .param("digest", counts.digest())
        .param("snapt", key.snapt())
        .param("session", key.session())
        .param("epoch", key.epoch())
        .param("sequence", key.sequence())
        .param("account", counts.account())
        .param("startedAt", Timestamp.from(counts.startedAt()))
        .param("snaptBytes", counts.snaptBytes())
        .param("deviceBytes", counts.deviceBytes())
        .param("now", Timestamp.from(now))
        .update();
  }

  private static BigInteger unsigned(long count) {
    return new BigInteger(Long.toUnsignedString(count));
  }

  /// Makes a step: writes the operator's note and changes the state.
  ///
  /// @return empty if there is no such discrepancy
  public Optional<Outcome> move(
      long id, DiscrepancyState to, Evidence.Decision decision, Instant now) {
    return transaction.execute(_ -> {
      jdbc.sql("select from discrepancy where id = ? for no key update").param(id).query(_ -> {});
      Optional<Discrepancy> found = find(id);
      if (found.isEmpty()) {
        return Optional.empty();
      }
      if (!found.get().state().next().contains(to)) {
        return Optional.of(new Outcome.NotAllowed(found.get().state()));
      }
      jdbc.sql("update discrepancy set state = ? where id = ?").param(to.name()).param(id).update();
      jdbc.sql(
              "insert into discrepancy_note (discrepancy_id, state, note, noted_by, noted_at)"
                  + " values (?, ?, ?, ?, ?)")
          .param(id)
          .param(to.name())
          .param(decision.reason())
          .param(decision.operator())
          .param(Timestamp.from(now))
          .update();
      return Optional.of(new Outcome.Done(find(id).orElseThrow()));
    });
  }

  /// Returns a discrepancy.
  public Optional<Discrepancy> find(long id) {
    return jdbc.sql("select * from discrepancy where id = ?")
        .param(id)
        .query((row, _) -> discrepancy(row))
        .optional();
  }

  /// Returns discrepancies, latest first.
  ///
  /// @param state null for all that are not closed
  /// @param before last id of the previous page
  public List<Discrepancy> page(@Nullable DiscrepancyState state, long before, int limit) {
    return jdbc.sql(
            "select * from discrepancy where id < :before"
                + " and (:state = '' and state <> 'CLOSED' or state = :state) order by id desc limit :limit")
        .param("before", before)
        .param("state", state == null ? "" : state.name())
        .param("limit", limit)
        .query((row, _) -> discrepancy(row))
        .list();
  }

  /// Returns the number of discrepancies that are not closed.
  public long waiting() {
    return jdbc.sql("select count(*) from discrepancy where state <> 'CLOSED'")
        .query(Long.class)
        .single();
  }

  private Discrepancy discrepancy(ResultSet row) throws SQLException {
    long id = row.getLong("id");
    return new Discrepancy(
        id,
        new IntervalKey(
            row.getString("snapt_id"),
            row.getString("session_id"),
            row.getLong("epoch"),
            row.getLong("sequence")),
        row.getString("account"),
        row.getTimestamp("started_at").toInstant(),
        row.getBigDecimal("snapt_bytes").toBigIntegerExact(),
        row.getBigDecimal("device_bytes").toBigIntegerExact(),
        row.getTimestamp("opened_at").toInstant(),
        DiscrepancyState.valueOf(row.getString("state")),
        Basis.valueOf(row.getString("basis")),
        notes(id));
  }

  private List<Note> notes(long id) {
    return jdbc.sql(
            "select state, note, noted_by, noted_at from discrepancy_note where discrepancy_id = ?"
                + " order by noted_at, state desc")
        .param(id)
        .query((row, _) ->
            new Note(
                DiscrepancyState.valueOf(row.getString(1)),
                row.getString(2),
                row.getString(3),
                row.getTimestamp(4).toInstant()))
        .list();
  }
}
