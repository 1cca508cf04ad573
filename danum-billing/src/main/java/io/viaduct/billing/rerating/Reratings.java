package io.viaduct.billing.rerating;

import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.ServiceClass;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores runs: begins, stops and resumes them, and says how far they are. [ReratingBatch] carries
/// them out.
public final class Reratings {
  /// Lock that transactions which bill share (V80); the beginning of a run has it alone.
  private static final int BEGINNING_LOCK = 7809651;

  private static final int SHOWN_MAX = 20;

  private static final String SELECT =
      """
      select r.*, r.listed_at is not null and not exists (select from rerating_item i
        where i.rerating = r.number and i.outcome = 'WAITING') as done from rerating r
      """;

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;

  public Reratings(TransactionTemplate transaction, JdbcClient jdbc) {
    this.transaction = transaction;
    this.jdbc = jdbc;
  }

  /// The result of [#begin].
  public sealed interface Begun {
    /// The run begins now.
    record New(Rerating run) implements Begun {}

    /// The same order was given before.
    record Known(Rerating run) implements Begun {}

    /// Another order has this id.
    record IdTaken() implements Begun {}

    /// A run of an overlapping time has not ended.
    record Overlaps(String id) implements Begun {}
  }

  /// Begins a run. Each id begins one run, whatever number of times the order is given.
  public Begun begin(ReratingOrder order, Instant now) {
    return transaction.execute(_ -> {
      jdbc.sql("select pg_advisory_xact_lock(?)").param(BEGINNING_LOCK).query(_ -> {});
      Optional<Rerating> known = find(order.id());
      if (known.isPresent()) {
        return known.get().order().isSameAs(order)
            ? new Begun.Known(known.get())
            : new Begun.IdTaken();
      }
      Optional<String> other = overlapping(order);
      if (other.isPresent()) {
        return new Begun.Overlaps(other.get());
      }
      insert(order, now);
      return new Begun.New(find(order.id()).orElseThrow());
    });
  }

  // Two runs of one interval would give it the bill of the one that comes last.
  private Optional<String> overlapping(ReratingOrder order) {
    return jdbc.sql(
            "select id from ("
                + SELECT
                + ") r where not done"
                + " and from_at < :to and to_at > :from and (account is null or :all or account = :account)"
                + " order by number limit 1")
        .param("from", Timestamp.from(order.from()))
        .param("to", Timestamp.from(order.to()))
        .param("all", order.account() == null)
        .param("account", order.account() == null ? "" : order.account())
        .query(String.class)
        .optional();
  }

  private void insert(ReratingOrder order, Instant now) {
    jdbc.sql(
            "insert into rerating (id, from_at, to_at, account, service_class, tariff_version, reason,"
                + " created_by, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .param(order.id())
        .param(Timestamp.from(order.from()))
        .param(Timestamp.from(order.to()))
        .param(order.account())
        .param(order.serviceClass() == null ? null : order.serviceClass().name())
        .param(order.tariffVersion())
        .param(order.reason())
        .param(order.createdBy())
        .param(Timestamp.from(now))
        .update();
  }

  /// Stops a run. When this method returns, the run posts nothing any more until it is resumed. A
  /// run that is done stays done.
  ///
  /// @return empty if there is no such run
  public Optional<Rerating> stop(String id) {
    return change(id, true);
  }

  /// Resumes a run where it was stopped.
  ///
  /// @return empty if there is no such run
  public Optional<Rerating> resume(String id) {
    return change(id, false);
  }

  // A batch locks the row of its run, so the change waits for its end.
  private Optional<Rerating> change(String id, boolean stopped) {
    return transaction.execute(_ -> {
      jdbc.sql("select from rerating where id = ? for update").param(id).query(_ -> {});
      Optional<Rerating> run = find(id);
      if (run.isEmpty() || run.get().state() == Rerating.State.DONE) {
        return run;
      }
      jdbc.sql("update rerating set stopped = ? where id = ?").param(stopped).param(id).update();
      return find(id);
    });
  }

  public Optional<Rerating> find(String id) {
    return jdbc.sql(SELECT + "where r.id = ?").param(id).query((row, _) -> run(row)).optional();
  }

  /// Returns runs, the latest first.
  ///
  /// @param before only runs with a lower number
  public List<Rerating> latest(long before, int limit) {
    return jdbc.sql(SELECT + "where r.number < ? order by r.number desc limit ?")
        .param(before)
        .param(limit)
        .query((row, _) -> run(row))
        .list();
  }

  private Rerating run(ResultSet row) throws SQLException {
    long number = row.getLong("number");
    Map<String, Long> outcomes = outcomes(number);
    Timestamp listed = row.getTimestamp("listed_at");
    boolean isDone = row.getBoolean("done");
    return new Rerating(
        number,
        order(row),
        row.getTimestamp("created_at").toInstant(),
        isDone
            ? Rerating.State.DONE
            : row.getBoolean("stopped") ? Rerating.State.STOPPED : Rerating.State.RUNNING,
        listed == null ? null : listed.toInstant(),
        outcomes.getOrDefault("WAITING", 0L),
        outcomes.getOrDefault("CHANGED", 0L),
        outcomes.getOrDefault("SAME", 0L),
        outcomes.getOrDefault("REFUNDED", 0L),
        outcomes.getOrDefault("VOID", 0L),
        difference(number),
        capCredit(number),
        kept(number));
  }

  private static ReratingOrder order(ResultSet row) throws SQLException {
    return new ReratingOrder(
        row.getString("id"),
        row.getTimestamp("from_at").toInstant(),
        row.getTimestamp("to_at").toInstant(),
        row.getString("account"),
        serviceClass(row),
        row.getInt("tariff_version"),
        row.getString("reason"),
        row.getString("created_by"));
  }

  static @Nullable ServiceClass serviceClass(ResultSet row) throws SQLException {
    String name = row.getString("service_class");
    return name == null ? null : ServiceClass.valueOf(name);
  }

  private Map<String, Long> outcomes(long number) {
    Map<String, Long> outcomes = new HashMap<>();
    jdbc.sql("select outcome, count(*) from rerating_item where rerating = ? group by 1")
        .param(number)
        .query(row -> {
          outcomes.put(row.getString(1), row.getLong(2));
        });
    return outcomes;
  }

  private BillLines difference(long number) {
    return jdbc.sql(
            """
            select coalesce(sum(v.charge_microdenarii - coalesce(p.charge_microdenarii, r.charge_microdenarii)), 0)
                as charge_microdenarii,
              coalesce(sum(v.discount_microdenarii - coalesce(p.discount_microdenarii, r.discount_microdenarii)), 0)
                as discount_microdenarii,
              coalesce(sum(v.reward_microdenarii - coalesce(p.reward_microdenarii, r.reward_microdenarii)), 0)
                as reward_microdenarii,
              coalesce(sum(v.access_fee_microdenarii - coalesce(p.access_fee_microdenarii, r.access_fee_microdenarii)), 0)
                as access_fee_microdenarii,
              coalesce(sum(v.surcharge_microdenarii - coalesce(p.surcharge_microdenarii, r.surcharge_microdenarii)), 0)
                as surcharge_microdenarii,
              coalesce(sum(v.refund_microdenarii - coalesce(p.refund_microdenarii, r.refund_microdenarii)), 0)
                as refund_microdenarii
            from report_revision v join snapt_report r on r.interval_id = v.interval_id
            left join report_revision p on (p.interval_id, p.revision) = (v.interval_id, v.revision - 1)
            where v.rerating = ?
            """)
        .param(number)
        .query((row, _) -> BillColumns.read(row))
        .single();
  }

  private MicroDenarii capCredit(long number) {
    return jdbc.sql(
            "select coalesce(sum(amount_microdenarii), 0)::bigint from cap_credit where rerating = ?")
        .param(number)
        .query((row, _) -> new MicroDenarii(row.getLong(1)))
        .single();
  }

  private List<String> kept(long number) {
    return jdbc.sql(
            """
            select i.snapt_id || '/' || i.session_id || '/' || i.epoch || '/' || i.sequence
            from rerating_item k join charging_interval i on i.id = k.interval_id
            where k.rerating = ? and k.outcome = 'REFUNDED' order by k.interval_id limit ?
            """)
        .param(number)
        .param(SHOWN_MAX)
        .query(String.class)
        .list();
  }
}
