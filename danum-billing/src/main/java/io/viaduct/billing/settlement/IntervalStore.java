package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MonthlyIds;
import io.viaduct.billing.rating.BrokenPromise;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.rating.RatedFlow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Stores sessions, intervals, reports and charges. Each call takes one round trip, or a few, for a
/// batch of any size.
public final class IntervalStore {
  private final JdbcTemplate batches;
  private final JdbcClient jdbc;

  public IntervalStore(JdbcTemplate batches) {
    this.batches = batches;
    jdbc = JdbcClient.create(batches);
  }

  /// One session of a device at one SNAPT.
  record Session(String snapt, String id) implements Comparable<Session> {
    static Session of(IntervalKey key) {
      return new Session(key.snapt(), key.session());
    }

    @Override
    public int compareTo(Session other) {
      int bySnapt = snapt.compareTo(other.snapt);
      return bySnapt != 0 ? bySnapt : id.compareTo(other.id);
    }
  }

  /// One session during one run of a SNAPT. Sequence numbers count within it.
  record Run(Session session, long epoch) {
    static Run of(IntervalKey key) {
      return new Run(Session.of(key), key.epoch());
    }
  }

  /// An interval that was billed earlier.
  record BilledBefore(long id, byte[] digest, IntervalState state) {}

  /// Locks the rows of the accounts in a fixed order, so that two transactions cannot deadlock. The
  /// bounds of an account are then checked by one transaction at a time.
  ///
  /// @return standing by id, for each account that exists
  Map<String, AccountStanding> lockAccounts(List<MeasuredInterval> reports) {
    Map<String, AccountStanding> states = new HashMap<>();
    Object ids = reports.stream().map(MeasuredInterval::account).distinct().toArray(String[]::new);
    jdbc.sql(
            "select id, state, inactive_since, charged_from from account where id = any(?) order by id"
                + " for no key update")
        .param(ids)
        .query(row -> {
          states.put(
              row.getString(1),
              new AccountStanding(row.getString(2), instant(row, 3), instant(row, 4)));
        });
    return states;
  }

  private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
    Timestamp time = row.getTimestamp(column);
    return time == null ? null : time.toInstant();
  }

  /// Returns the ends of the times of users who were erased, by the ids that they had.
  ///
  /// @param ids ids that no account has
  Map<String, Instant> erased(Collection<String> ids) {
    Map<String, Instant> erased = new HashMap<>();
    if (!ids.isEmpty()) {
      jdbc.sql(
              "select u.id, e.used_until from unnest(?::text[]) u(id)"
                  + " join erased_id e on e.digest = sha256(convert_to(u.id, 'UTF8'))")
          .param(ids.toArray(String[]::new))
          .query(row -> {
            erased.put(row.getString(1), row.getTimestamp(2).toInstant());
          });
    }
    return erased;
  }

  /// Returns the highest known epoch of each session that has one.
  Map<Session, Long> epochs(List<MeasuredInterval> reports) {
    Map<Session, Long> epochs = new HashMap<>();
    List<Session> sessions = reports.stream().map(r -> Session.of(r.key())).distinct().toList();
    jdbc.sql(
            """
            select s.snapt_id, s.session_id, s.epoch from unnest(?::text[], ?::text[]) u(snapt, session)
            join relay_session s on (s.snapt_id, s.session_id) = (u.snapt, u.session)
            """)
        .param(sessions.stream().map(Session::snapt).toArray(String[]::new))
        .param(sessions.stream().map(Session::id).toArray(String[]::new))
        .query(row -> {
          epochs.put(new Session(row.getString(1), row.getString(2)), row.getLong(3));
        });
    return epochs;
  }

  /// Locks the rows of all sessions in a fixed order, so that two transactions cannot deadlock.
  /// Creates the missing rows.
  ///
  /// @return the highest known epoch of each session
  Map<Session, Long> lockSessions(List<MeasuredInterval> reports) {
    Map<Session, Long> epochs = new HashMap<>();
    TreeSet<Session> sessions = new TreeSet<>();
    reports.forEach(r -> sessions.add(Session.of(r.key())));
    if (sessions.isEmpty()) {
      return epochs;
    }
    jdbc.sql(
            """
            insert into relay_session as s (snapt_id, session_id, epoch)
            select snapt, session, 0 from unnest(?::text[], ?::text[]) with ordinality u(snapt, session, n) order by n
            on conflict (snapt_id, session_id) do update set epoch = s.epoch
            returning snapt_id, session_id, epoch
            """)
        .param(sessions.stream().map(Session::snapt).toArray(String[]::new))
        .param(sessions.stream().map(Session::id).toArray(String[]::new))
        .query(row -> {
          epochs.put(new Session(row.getString(1), row.getString(2)), row.getLong(3));
        });
    return epochs;
  }

  void raiseEpochs(Collection<Session> sessions, Map<Session, Long> epochs) {
    if (!sessions.isEmpty()) {
      batches.batchUpdate(
          "update relay_session set epoch = ? where snapt_id = ? and session_id = ?",
          sessions.stream().map(s -> new Object[] {epochs.get(s), s.snapt(), s.id()}).toList());
    }
  }

  /// Returns the intervals of those reports that were billed before.
  Map<IntervalKey, BilledBefore> billedBefore(List<MeasuredInterval> reports) {
    Map<IntervalKey, BilledBefore> billedBefore = new HashMap<>();
    jdbc.sql(
            """
            select k.snapt_id, k.session_id, k.epoch, k.sequence, k.interval_id,
              coalesce(r.digest, s.digest), coalesce(i.state, s.state)
            from unnest(:snapts::text[], :sessions::text[], :epochs::bigint[], :sequences::bigint[]) u(snapt, session, epoch, sequence)
            join interval_key k on (k.snapt_id, k.session_id, k.epoch, k.sequence) = (u.snapt, u.session, u.epoch, u.sequence)
            left join charging_interval i on i.id = k.interval_id
            left join snapt_report r on r.interval_id = k.interval_id
            left join sealed_report s on s.interval_id = k.interval_id
            where i.id is not null or s.interval_id is not null
            """)
        .param("snapts", reports.stream().map(r -> r.key().snapt()).toArray(String[]::new))
        .param("sessions", reports.stream().map(r -> r.key().session()).toArray(String[]::new))
        .param("epochs", reports.stream().map(r -> r.key().epoch()).toArray(Long[]::new))
        .param("sequences", reports.stream().map(r -> r.key().sequence()).toArray(Long[]::new))
        .query(row -> {
          billedBefore.put(
              new IntervalKey(row.getString(1), row.getString(2), row.getLong(3), row.getLong(4)),
              new BilledBefore(
                  row.getLong(5), row.getBytes(6), IntervalState.valueOf(row.getString(7))));
        });
    return billedBefore;
  }

  /// Returns the highest billed sequence number of each session and epoch.
  Map<Run, Long> highestSequences(List<MeasuredInterval> reports) {
    Map<Run, Long> highest = new HashMap<>();
    List<Run> runs = reports.stream().map(r -> Run.of(r.key())).distinct().toList();
    jdbc.sql(
            """
            select u.snapt, u.session, u.epoch, i.highest
            from unnest(:snapts::text[], :sessions::text[], :epochs::bigint[]) u(snapt, session, epoch)
            cross join lateral (select max(sequence) as highest from interval_key
              where (snapt_id, session_id, interval_key.epoch) = (u.snapt, u.session, u.epoch)) i
            where i.highest is not null
            """)
        .param("snapts", runs.stream().map(r -> r.session().snapt()).toArray(String[]::new))
        .param("sessions", runs.stream().map(r -> r.session().id()).toArray(String[]::new))
        .param("epochs", runs.stream().map(Run::epoch).toArray(Long[]::new))
        .query(row -> {
          highest.put(
              new Run(new Session(row.getString(1), row.getString(2)), row.getLong(3)),
              row.getLong(4));
        });
    return highest;
  }

  /// Marks an unsigned interval as signed by the device or released by an operator.
  void sign(BilledBefore interval) {
    jdbc.sql(
            "update charging_interval set state ="
                + " case when received_at < grace_ends_at then 'CORRECTED' else 'ADJUSTED' end where id = ?")
        .param(interval.id())
        .update();
  }

  /// Stores the receipt or the release with which an interval counts as signed. Intervals that need
  /// neither get no row.
  void decide(Map<Long, Evidence> intervals, Instant now) {
    List<Object[]> rows = new ArrayList<>();
    intervals.forEach((interval, evidence) -> {
      Evidence.Decision release = evidence.receipt() == null ? evidence.release() : null;
      if (evidence.receipt() != null || release != null) {
        rows.add(
            new Object[] {
              interval,
              release == null ? "RECEIPT" : "RELEASED",
              evidence.receipt(),
              release == null ? null : release.operator(),
              release == null ? "" : release.reason(),
              Timestamp.from(now)
            });
      }
    });
    if (!rows.isEmpty()) {
      batches.batchUpdate(
          "insert into interval_decision (interval_id, kind, receipt, decided_by, reason, decided_at)"
              + " values (?, ?, ?, ?, ?, ?)",
          rows);
    }
  }

  /// Stores the device's reason for not signing, once.
  void refusal(MeasuredInterval report, Instant now) {
    Evidence.Refusal refusal = report.evidence().refusal();
    if (refusal != null) {
      jdbc.sql(
              "insert into receipt_refusal values (:digest, :reason, :upBytes, :downBytes, :now) on conflict do nothing")
          .param("digest", report.original().digest())
          .param("reason", refusal.reason())
          .param("upBytes", refusal.upBytes())
          .param("downBytes", refusal.downBytes())
          .param("now", Timestamp.from(now))
          .update();
    }
  }

  List<Long> charges(long interval) {
    return jdbc.sql("select id from charge where interval_id = ? order by id")
        .param(interval)
        .query(Long.class)
        .list();
  }

  /// Stores intervals with their reports and charges, and assigns their ids.
  void insert(List<BilledInterval> billed) {
    identify(billed);
    List<Object[]> intervals = new ArrayList<>();
    List<Object[]> reports = new ArrayList<>();
    List<Object[]> charges = new ArrayList<>();
    List<Object[]> originals = new ArrayList<>();
    List<Object[]> peers = new ArrayList<>();
    List<Object[]> carried = new ArrayList<>();
    for (BilledInterval interval : billed) {
      intervals.add(intervalRow(interval));
      reports.add(reportRow(interval));
      originals.add(originalRow(interval));
      for (int i = 0; i < interval.flows().size(); i++) {
        charges.add(chargeRow(interval, i));
        peers.add(peerRow(interval, i));
        MeasuredInterval.Flow flow = interval.report().flows().get(i);
        Long call = flow.measure().call();
        if (call != null) {
          carried.add(new Object[] {interval.id(), flow.id(), call});
        }
      }
    }
    batches.batchUpdate(
        "insert into charging_interval (id, snapt_id, session_id, epoch, sequence, account, owner, icid,"
            + " token_id, started_at, ended_at, received_at, grace_ends_at, clock, tariff_version,"
            + " surcharge_version, state)"
            + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        intervals);
    batches.batchUpdate(
        "insert into snapt_report (interval_id, digest, last, pre_bytes, post_bytes, overhead_bytes, "
            + BillColumns.NAMES
            + ") values (?, ?, ?, ?, ?, ?, "
            + BillColumns.MARKS
            + ")",
        reports);
    batches.batchUpdate(
        "insert into report_original (interval_id, content, signature, key_id, token) values (?, ?, ?, ?, ?)",
        originals);
    if (!charges.isEmpty()) {
      batches.batchUpdate(
          "insert into charge (id, interval_id, flow, account, started_at, application, service_class, protocol,"
              + " pre_bytes, post_bytes, saved_bytes, duration_ms, throughput,"
              + " delay_ms, delay_error_ms, delay_source, loss, utility_per_second, price_per_unit, units,"
              + " busy, spare, demand_end, offered, broken_promise, promised, measured, device, link, jitter_ms, "
              + BillColumns.NAMES
              + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
              + " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
              + BillColumns.MARKS
              + ")",
          charges);
      batches.batchUpdate(
          "insert into flow_peer (interval_id, flow, remote_address, remote_port) values (?, ?, ?, ?)",
          peers);
    }
    if (!carried.isEmpty()) {
      batches.batchUpdate(
          "insert into carried_flow (interval_id, flow, call_id) values (?, ?, ?)", carried);
    }
  }

  /// Opens the days of the intervals, so that they are compared with the caps later.
  void openDays(List<BilledInterval> billed) {
    List<Object[]> days =
        billed.stream()
            .map(BilledInterval::report)
            .map(report ->
                List.of(report.account(), LocalDate.ofInstant(report.startedAt(), ZoneOffset.UTC)))
            .distinct()
            .map(List::toArray)
            .toList();
    batches.batchUpdate(
        "insert into open_day (account, day) values (?, ?) on conflict do nothing", days);
  }

  private void identify(List<BilledInterval> billed) {
    int flows = billed.stream().mapToInt(i -> i.flows().size()).sum();
    List<Long> intervalIds =
        MonthlyIds.of(
            jdbc,
            "charging_interval_id",
            billed.stream().map(interval -> interval.report().startedAt()).toList());
    List<Long> months = new ArrayList<>(flows);
    for (int i = 0; i < billed.size(); i++) {
      months.addAll(Collections.nCopies(billed.get(i).flows().size(), intervalIds.get(i)));
    }
    List<Long> chargeIds = MonthlyIds.like(jdbc, "charge_id", months);
    int used = 0;
    for (int i = 0; i < billed.size(); i++) {
      int size = billed.get(i).flows().size();
      billed.get(i).identify(intervalIds.get(i), chargeIds.subList(used, used + size));
      used += size;
    }
  }

  private static @Nullable Object[] intervalRow(BilledInterval interval) {
    MeasuredInterval report = interval.report();
    return new @Nullable Object[] {
      interval.id(),
      report.key().snapt(),
      report.key().session(),
      report.key().epoch(),
      report.key().sequence(),
      report.account(),
      interval.owner(),
      report.icid(),
      report.tokenId(),
      Timestamp.from(report.startedAt()),
      Timestamp.from(report.endedAt()),
      Timestamp.from(report.receivedAt()),
      Timestamp.from(interval.graceEndsAt()),
      report.clock().name(),
      interval.tariffVersion(),
      interval.surchargeVersion(),
      interval.state().name()
    };
  }

  private static @Nullable Object[] reportRow(BilledInterval interval) {
    MeasuredInterval report = interval.report();
    return row(
        interval.lines(),
        interval.id(),
        report.original().digest(),
        report.isLast(),
        report.preBytes(),
        report.postBytes(),
        report.overheadBytes());
  }

  private static @Nullable Object[] originalRow(BilledInterval interval) {
    MeasuredInterval report = interval.report();
    return new @Nullable Object[] {
      interval.id(),
      report.original().content(),
      report.original().signature(),
      report.original().keyId(),
      report.evidence().token()
    };
  }

  private static Object[] peerRow(BilledInterval interval, int index) {
    MeasuredInterval.Flow flow = interval.report().flows().get(index);
    return new Object[] {interval.id(), flow.id(), flow.remoteAddress(), flow.remotePort()};
  }

  private static @Nullable Object[] chargeRow(BilledInterval interval, int index) {
    MeasuredInterval.Flow flow = interval.report().flows().get(index);
    FlowMeasure measure = flow.measure();
    RatedFlow rated = interval.flows().get(index);
    BrokenPromise broken = rated.broken();
    return row(
        rated.lines(),
        interval.chargeIds().get(index),
        interval.id(),
        flow.id(),
        interval.report().account(),
        Timestamp.from(interval.report().startedAt()),
        measure.application(),
        measure.serviceClass().name(),
        flow.protocol(),
        measure.preBytes(),
        measure.postBytes(),
        measure.savedBytes(),
        measure.durationMs(),
        rated.placement().throughput(),
        rated.delay().delayMs(),
        rated.delay().errorMs(),
        rated.delay().source().name(),
        rated.loss(),
        rated.utilityPerSecond(),
        rated.price().perUnit(),
        rated.units(),
        measure.demand().busy(),
        measure.demand().spareKbitPerSecond(),
        measure.demand().end().name(),
        interval.isOffered(index) ? rated.placement().offered() : null,
        broken == null ? null : broken.promise().name(),
        broken == null ? null : broken.promised(),
        broken == null ? null : broken.measured(),
        interval.report().evidence().device(),
        flow.link(),
        flow.jitterMs());
  }

  // A row of a table that ends with the lines of a bill.
  private static @Nullable Object[] row(BillLines lines, @Nullable Object... values) {
    return Stream.concat(Arrays.stream(values), BillColumns.values(lines).stream()).toArray();
  }
}
