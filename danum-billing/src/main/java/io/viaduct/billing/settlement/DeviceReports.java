package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.snapts.Ownership;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TermsInForce;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores reports of devices, and compares each with the SNAPT's report if that was billed before.
/// The first report of an account about an interval stands. The row of the account is locked, so
/// that both reports of an interval are decided one after the other.
public final class DeviceReports {
  /// Most reports of one account whose SNAPT's report is missing: 14 sessions for a day.
  static final int WAITING_MAX = 20_000;

  /// The result of storing a report.
  public sealed interface Stored {
    /// It is stored.
    ///
    /// @param isFirst false if the same report was stored before
    record Kept(DeviceReportState state, boolean isFirst) implements Stored {}

    /// It cannot be stored now.
    record Deferred(String detail) implements Stored {}

    /// It is never stored.
    record Refused(DeviceReportRefusal why, String detail) implements Stored {}
  }

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;
  private final TariffBook tariffs;
  private final SurchargeBook surcharges;
  private final UnaryOperator<String> ownerOf;
  private final Duration adjustmentTime;

  /// @param ownerOf owner of a SNAPT that was never enrolled
  /// @param adjustmentTime time from the end of an interval until its report is refused as too late
  public DeviceReports(
      TransactionTemplate transaction,
      JdbcClient jdbc,
      TariffBook tariffs,
      SurchargeBook surcharges,
      UnaryOperator<String> ownerOf,
      Duration adjustmentTime) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.tariffs = tariffs;
    this.surcharges = surcharges;
    this.ownerOf = ownerOf;
    this.adjustmentTime = adjustmentTime;
  }

  /// Stores a report. The result is committed when this method returns.
  public Stored store(DeviceInterval report, Instant now) {
    return transaction.execute(_ -> storeLocked(report, now));
  }

  private Stored storeLocked(DeviceInterval report, Instant now) {
    Optional<Boolean> isOfFormerUser =
        jdbc.sql(
                "select coalesce(charged_from > ?, false) from account where id = ? for no key update")
            .params(Timestamp.from(report.startedAt()), report.account())
            .query(Boolean.class)
            .optional();
    if (isOfFormerUser.isEmpty()) {
      return new Stored.Refused(
          DeviceReportRefusal.UNKNOWN_ACCOUNT, "no account '" + report.account() + "'");
    }
    if (isOfFormerUser.get()) {
      return new Stored.Refused(
          DeviceReportRefusal.ACCOUNT_ERASED, "the user of this interval was erased");
    }
    Optional<Stored> before = before(report);
    if (before.isPresent()) {
      return before.get();
    }
    if (Duration.between(report.endedAt(), report.receivedAt()).compareTo(adjustmentTime) > 0) {
      return new Stored.Refused(
          DeviceReportRefusal.TOO_LATE,
          "ended " + report.endedAt() + ", more than " + adjustmentTime + " ago");
    }
    if (waiting(report.account()) >= WAITING_MAX) {
      return new Stored.Deferred(
          "the account has " + WAITING_MAX + " reports that wait for the SNAPT's, the limit");
    }
    return keep(report, now);
  }

  private Optional<Stored> before(DeviceInterval report) {
    return jdbc.sql(
            "select digest, state from device_report"
                + " where (snapt_id, session_id, epoch, sequence, account) = (?, ?, ?, ?, ?)")
        .params(key(report.key(), report.account()))
        .query((row, _) -> {
          Stored stored =
              Arrays.equals(row.getBytes(1), report.digest())
                  ? new Stored.Kept(DeviceReportState.valueOf(row.getString(2)), false)
                  : new Stored.Refused(
                      DeviceReportRefusal.CONFLICT,
                      report.key().text() + " was reported with other content");
          return stored;
        })
        .optional();
  }

  private static List<Object> key(IntervalKey key, String account) {
    return List.of(key.snapt(), key.session(), key.epoch(), key.sequence(), account);
  }

  private long waiting(String account) {
    return jdbc.sql(
            "select count(*) from device_report where account = ? and state = 'PROVISIONAL'")
        .param(account)
        .query(Long.class)
        .single();
  }

  private record Billed(byte[] digest, long bytes) {}

  private Stored keep(DeviceInterval report, Instant now) {
    Optional<Billed> snapt =
        jdbc.sql(
                "select r.digest, r.pre_bytes from charging_interval i join snapt_report r on r.interval_id = i.id"
                    + " where (i.snapt_id, i.session_id, i.epoch, i.sequence, i.account) = (?, ?, ?, ?, ?)")
            .params(key(report.key(), report.account()))
            .query((row, _) -> new Billed(row.getBytes(1), row.getLong(2)))
            .optional();
    DeviceReportState state =
        snapt
            .map(each -> DeviceReportState.compared(each.bytes(), report.bytes()))
            .orElse(DeviceReportState.PROVISIONAL);
    insert(report, state);
    if (snapt.isPresent() && state == DeviceReportState.DISCREPANT) {
      Discrepancies.open(
          jdbc,
          new Discrepancies.Counts(
              snapt.get().digest(),
              report.key(),
              report.account(),
              report.startedAt(),
              snapt.get().bytes(),
              report.bytes()),
          now);
    }
    return new Stored.Kept(state, true);
  }

  private void insert(DeviceInterval report, DeviceReportState state) {
    jdbc.sql(
            """
            insert into device_report (digest, envelope, snapt_id, session_id, epoch, sequence, account, device,
              started_at, ended_at, received_at, clock, bytes, expected_microdenarii, state)
            values (:digest, :envelope, :snapt, :session, :epoch, :sequence, :account, :device,
              :startedAt, :endedAt, :receivedAt, :clock, :bytes, :expected, :state)
            """)
        .param("digest", report.digest())
        .param("envelope", report.envelope())
        .param("snapt", report.key().snapt())
        .param("session", report.key().session())
        .param("epoch", report.key().epoch())
        .param("sequence", report.key().sequence())
        .param("account", report.account())
        .param("device", report.device())
        .param("startedAt", Timestamp.from(report.startedAt()))
        .param("endedAt", Timestamp.from(report.endedAt()))
        .param("receivedAt", Timestamp.from(report.receivedAt()))
        .param("clock", report.clock().name())
        .param("bytes", report.bytes())
        .param("expected", expected(report).value())
        .param("state", state.name())
        .update();
  }

  private MicroDenarii expected(DeviceInterval report) {
    String owner = Ownership.read(jdbc, ownerOf).at(report.key().snapt(), report.startedAt());
    TermsInForce terms =
        TermsInForce.Known.of(tariffs, surcharges, Set.of(owner)).at(owner, report.startedAt());
    MeasuredInterval interval = CarriedFlows.marked(jdbc, report.interval(0));
    return RatedReport.of(
            interval.flows().stream().map(MeasuredInterval.Flow::measure).toList(),
            interval.lengthMs(),
            terms.terms())
        .lines()
        .net();
  }
}
