package io.viaduct.billing.accounting;

import com.google.protobuf.InvalidProtocolBufferException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.accounting.PostedRecord.Kind;
import io.viaduct.billing.accounting.RecordStore.RecordRefusedException;
import io.viaduct.billing.database.Outbox;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.diameter.accounting.ServiceUsage;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Turns posted reports into accounting records: START before the first report of a session at a
/// SNAPT, INTERIM for each report, STOP for its last one, or when none can come any more. Records
/// of a session have numbers without gaps. A record that is built twice, because this process died,
/// has the same Session-Id, number and content, so the charging system recognises it.
public final class AccountingPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(AccountingPublisher.class);
  private static final long LOCK = 0x76696164_61636374L; // any number that nothing else takes
  private static final int SESSIONS_OF_RUN = 500;

  // At 35 records a second, which is a tenth of what a loaded disk did, they take 3 s of the 10 s
  // after which the store counts as failed.
  private static final int RECORDS_AT_ONCE = 100;

  private static final Duration PERIOD = Duration.ofMillis(250);

  private static final String OPEN =
      """
      insert into accounting_session (snapt_id, session_id, diameter_session, account, icid, began_at, heard_at)
        select distinct on (i.snapt_id, i.session_id) i.snapt_id, i.session_id, %s, i.account, i.icid, i.started_at, i.started_at
        from accounting_outbox o join charging_interval i on i.id = o.interval_id
        where not exists (select from accounting_session s where (s.snapt_id, s.session_id) = (i.snapt_id, i.session_id))
        order by i.snapt_id, i.session_id, o.id
      on conflict do nothing
      """;

  private static final String SELECT =
      """
      select o.id as outbox, i.started_at, i.ended_at, r.last, g.content, g.token, s.*
      from accounting_outbox o join charging_interval i on i.id = o.interval_id
      join snapt_report r on r.interval_id = i.id
      join accounting_session s on (s.snapt_id, s.session_id) = (i.snapt_id, i.session_id)
      left join report_original g on g.interval_id = i.id
      order by o.id limit ?
      """;

  private final JdbcClient jdbc;
  private final Outbox outbox;
  private final SessionNaming naming;
  private final RecordStore store;
  private final Duration silence;
  private final Counter records;
  private final AtomicLong waiting = new AtomicLong();
  private boolean isFull; // of the thread that publishes

  /// @param store takes the records, and encodes them
  /// @param silence time after its last interval at which no report of a session can come any more
  public AccountingPublisher(
      TransactionTemplate transaction,
      JdbcClient jdbc,
      SessionNaming naming,
      RecordStore store,
      Duration silence,
      MeterRegistry registry) {
    this.jdbc = jdbc;
    this.outbox = new Outbox(transaction, jdbc, "accounting_outbox", LOCK);
    this.naming = naming;
    this.store = store;
    this.silence = silence;
    records =
        Counter.builder("viaduct_accounting_records")
            .description("Accounting records that were stored for delivery to a charging system")
            .register(registry);
    Gauge.builder("viaduct_accounting_reports_waiting", waiting, AtomicLong::get)
        .description("Posted reports without an accounting record")
        .register(registry);
  }

  /// Lets the database write an outbox, or not. All instances have the same configuration.
  public static void enable(JdbcClient jdbc, boolean isEnabled) {
    jdbc.sql(
            isEnabled
                ? "insert into accounting_publication (enabled) values (true) on conflict do nothing"
                : "delete from accounting_publication")
        .update();
  }

  /// Begins to store records a few times per second.
  public PeriodicTasks start(InstantSource clock) {
    PeriodicTasks tasks = new PeriodicTasks("accounting");
    tasks.every(PERIOD, "accounting records", () -> publish(clock.instant()));
    return tasks;
  }

  /// Stores the records of all reports that wait. What the store does not take stays in the outbox.
  public void publish(Instant now) {
    jdbc.sql(OPEN.formatted(naming.expression())).param("host", naming.host()).update();
    outbox.drain(this::pass);
    outbox.locked(() -> endSilent(now));
    waiting.set(outbox.waiting());
  }

  /// A report in the outbox.
  private record Waiting(
      long id,
      Instant startedAt,
      Instant endedAt,
      boolean isLast,
      byte @Nullable [] content,
      byte @Nullable [] token,
      OpenSession session) {}

  /// A record to store.
  ///
  /// @param isWhole true if it is the last record of its report
  private record Next(Waiting report, PostedRecord record, boolean isWhole) {}

  private List<Long> pass(int limit) {
    List<Waiting> reports = jdbc.sql(SELECT).param(limit).query((row, _) -> read(row)).list();
    List<Next> next = records(reports);
    return save(next.subList(0, store(next.stream().map(Next::record).toList())));
  }

  private static List<Next> records(List<Waiting> reports) {
    Map<String, OpenSession> sessions = new HashMap<>();
    Set<String> ended = new TreeSet<>();
    List<Next> next = new ArrayList<>();
    for (Waiting report : reports) {
      String id = report.session().name();
      if (ended.contains(id)) {
        break; // a report after the last one: it begins another accounting session
      }
      OpenSession session = sessions.computeIfAbsent(id, _ -> report.session().copy());
      if (!session.hasStarted()) {
        session.directTo(chargingFunctions(report));
        next.add(new Next(report, start(session, report), false));
      }
      PostedRecord used = used(session, report);
      session.stored(used);
      next.add(new Next(report, used, true));
      if (report.isLast()) {
        ended.add(id);
      }
    }
    return next;
  }

  private static PostedRecord start(OpenSession session, Waiting report) {
    PostedRecord start = session.record(Kind.START, report.startedAt(), List.of());
    session.stored(start);
    return start;
  }

  private static PostedRecord used(OpenSession session, Waiting report) {
    return session.record(
        report.isLast() ? Kind.STOP : Kind.INTERIM,
        report.endedAt(),
        usage(report, session.sequence()));
  }

  /// Saves the sessions of stored records.
  ///
  /// @return ids of the reports whose records are all stored
  private List<Long> save(List<Next> stored) {
    Map<String, OpenSession> sessions = new LinkedHashMap<>();
    Set<String> ended = new TreeSet<>();
    List<Long> passed = new ArrayList<>();
    for (Next next : stored) {
      Waiting report = next.report();
      String id = report.session().name();
      sessions.computeIfAbsent(id, _ -> report.session()).stored(next.record());
      if (next.isWhole()) {
        passed.add(report.id());
      }
      if (next.isWhole() && report.isLast()) {
        ended.add(id);
      }
    }
    sessions.forEach((id, session) -> save(session, ended.contains(id)));
    return passed;
  }

  /// Stores records.
  ///
  /// @return number of the first ones that are stored
  private int store(List<PostedRecord> posted) {
    if (posted.isEmpty()) {
      return 0;
    }
    int stored = 0;
    String reason = "the queue is full";
    try {
      boolean isRoom = true;
      while (isRoom && stored < posted.size()) {
        int next = Math.min(posted.size(), stored + RECORDS_AT_ONCE);
        stored += store.store(posted.subList(stored, next));
        isRoom = stored == next;
      }
    } catch (RecordRefusedException e) {
      reason = e.toString();
    }
    records.increment(stored);
    if (stored < posted.size() && !isFull) {
      LOG.warn("accounting records cannot be stored now, trying again: {}", reason);
    }
    isFull = stored < posted.size();
    return stored;
  }

  // The token was checked before the report was posted. It is deleted with the report's original.
  private static List<Long> chargingFunctions(Waiting report) {
    if (report.token() == null) {
      return List.of();
    }
    try {
      return SessionToken.parseFrom(SignedSessionToken.parseFrom(report.token()).getToken())
          .getChargingFunctionsList();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the token of a posted report cannot be read", e);
    }
  }

  // The original of a report is deleted with the personal data of its month. Then only the record
  // of its time is left.
  private static List<ServiceUsage> usage(Waiting report, long sequence) {
    if (report.content() == null) {
      return List.of();
    }
    try {
      return ReportedServices.of(UsageReport.parseFrom(report.content()), sequence);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a posted report cannot be read", e);
    }
  }

  private void save(OpenSession session, boolean hasEnded) {
    if (hasEnded) {
      jdbc.sql("delete from accounting_session where diameter_session = ?")
          .param(session.name())
          .update();
      return;
    }
    jdbc.sql(
            "update accounting_session set next_number = ?, next_sequence = ?, octets_up = ?,"
                + " octets_down = ?, heard_at = ?, charging_functions = ? where diameter_session = ?")
        .params(
            session.nextNumber(),
            session.sequence(),
            session.octetsUp(),
            session.octetsDown(),
            Timestamp.from(session.heardAt()),
            session.chargingFunctions(),
            session.name())
        .update();
  }

  private void endSilent(Instant now) {
    List<OpenSession> silent =
        jdbc.sql(
                "select * from accounting_session s where heard_at < ? and not exists"
                    + " (select from accounting_outbox o join charging_interval i on i.id = o.interval_id"
                    + " where (i.snapt_id, i.session_id) = (s.snapt_id, s.session_id)) limit ?")
            .params(Timestamp.from(now.minus(silence)), SESSIONS_OF_RUN)
            .query((row, _) -> OpenSession.read(row))
            .list();
    List<OpenSession> started = silent.stream().filter(OpenSession::hasStarted).toList();
    silent.stream().filter(session -> !session.hasStarted()).forEach(each -> save(each, true));
    int stored =
        store(
            started.stream()
                .map(session -> session.record(Kind.LAPSE, session.heardAt(), List.of()))
                .toList());
    started.subList(0, stored).forEach(session -> save(session, true));
  }

  private static Waiting read(ResultSet row) throws SQLException {
    return new Waiting(
        row.getLong("outbox"),
        row.getTimestamp("started_at").toInstant(),
        row.getTimestamp("ended_at").toInstant(),
        row.getBoolean("last"),
        row.getBytes("content"),
        row.getBytes("token"),
        OpenSession.read(row));
  }
}
