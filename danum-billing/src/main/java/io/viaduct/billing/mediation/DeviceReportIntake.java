package io.viaduct.billing.mediation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.settlement.DeviceReportRefusal;
import io.viaduct.billing.settlement.DeviceReportState;
import io.viaduct.billing.settlement.DeviceReports;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.TokenKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/// Takes reports of devices: validates and stores them. They are few and charge nothing by
/// themselves, so each has its own transaction.
public final class DeviceReportIntake {
  private final DeviceReports reports;
  private final SeenTokenKeys keys;
  private final ProofRules rules;
  private final InstantSource clock;
  private final LabelledCounters<ReportVerdict> verdicts;
  private final LabelledCounters<DeviceReportRefusal> refusals;

  public DeviceReportIntake(
      DeviceReports reports,
      SeenTokenKeys keys,
      ProofRules rules,
      InstantSource clock,
      MeterRegistry registry) {
    this.reports = reports;
    this.keys = keys;
    this.rules = rules;
    this.clock = clock;
    verdicts =
        LabelledCounters.register(
            registry,
            "viaduct_device_reports",
            "Reports of devices by verdict",
            "verdict",
            ReportVerdict.class,
            EnumSet.of(
                ReportVerdict.POSTED,
                ReportVerdict.ALREADY_POSTED,
                ReportVerdict.PROVISIONAL,
                ReportVerdict.CONFLICT,
                ReportVerdict.REJECTED,
                ReportVerdict.DEFERRED));
    refusals =
        LabelledCounters.register(
            registry,
            "viaduct_device_reports_refused",
            "Reports of devices that are not stored, by reason",
            "reason",
            DeviceReportRefusal.class);
  }

  /// Takes reports. Each is committed when this method returns.
  ///
  /// @return one verdict for each report, in order
  /// @throws org.springframework.dao.DataAccessException if the database is not available; then the
  ///   same reports are known as stored the next time, or not stored
  List<ReportAck> take(
      List<SignedDeviceReport> signed, List<TokenKey> announced, Instant receivedAt) {
    Instant now = clock.instant();
    DeviceReportValidation validation =
        new DeviceReportValidation(new ReportValidation(rules, keys.with(announced, now)));
    List<ReportAck> acks = new ArrayList<>(signed.size());
    for (SignedDeviceReport each : signed) {
      ReportAck ack =
          switch (validation.validate(each, receivedAt)) {
            case DeviceReportValidation.Result.Valid(var report) ->
                ack(each, reports.store(report, now));
            case DeviceReportValidation.Result.Refused(var why, String detail) ->
                refused(each, why, detail);
          };
      verdicts.increment(ack.getVerdict());
      acks.add(ack);
    }
    return acks;
  }

  private ReportAck ack(SignedDeviceReport signed, DeviceReports.Stored stored) {
    return switch (stored) {
      case DeviceReports.Stored.Kept(var _, boolean isFirst) when !isFirst ->
          ack(signed, ReportVerdict.ALREADY_POSTED, "");
      case DeviceReports.Stored.Kept(var state, var _) ->
          ack(
              signed,
              state == DeviceReportState.PROVISIONAL
                  ? ReportVerdict.PROVISIONAL
                  : ReportVerdict.POSTED,
              "");
      case DeviceReports.Stored.Deferred(String detail) ->
          ack(signed, ReportVerdict.DEFERRED, detail);
      case DeviceReports.Stored.Refused(var why, String detail) -> refused(signed, why, detail);
    };
  }

  private ReportAck refused(SignedDeviceReport signed, DeviceReportRefusal why, String detail) {
    refusals.increment(why);
    return ack(
        signed,
        why == DeviceReportRefusal.CONFLICT ? ReportVerdict.CONFLICT : ReportVerdict.REJECTED,
        why + ": " + detail);
  }

  /// Returns an acknowledgement that names the report, as far as it can be read.
  static ReportAck ack(SignedDeviceReport signed, ReportVerdict verdict, String reason) {
    DeviceReport report;
    try {
      report = DeviceReport.parseFrom(signed.getReport());
    } catch (InvalidProtocolBufferException _) {
      report = DeviceReport.getDefaultInstance();
    }
    return ReportAck.newBuilder()
        .setSnaptId(report.getSnaptId())
        .setSessionId(report.getSessionId())
        .setEpoch(report.getEpoch())
        .setSequence(report.getSequence())
        .setVerdict(verdict)
        .setReason(reason)
        .build();
  }

  /// Counts reports that are deferred because the database is not available.
  void deferred(int count) {
    for (int i = 0; i < count; i++) {
      verdicts.increment(ReportVerdict.DEFERRED);
    }
  }
}
