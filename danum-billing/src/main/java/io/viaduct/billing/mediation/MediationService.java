package io.viaduct.billing.mediation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SubmitDeviceReportsRequest;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.SubmitResponse;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/// Receives usage reports by gRPC. A request is answered after its commit. If the database is not
/// available, every report of the request is DEFERRED, and its sender keeps it.
public final class MediationService extends MediationGrpc.MediationImplBase {
  /// Most reports of one request, as the protocol states.
  static final int REPORTS_MAX = 256;

  /// Largest difference between the bridge's clock and our own at which the bridge's time is used.
  private static final Duration BRIDGE_CLOCK_TOLERATED = Duration.ofMinutes(5);

  private static final String DATABASE_AWAY =
      "the database is away: keep the report and send it again";

  private static final Logger LOG = LoggerFactory.getLogger(MediationService.class);

  private final ReportIntake intake;
  private final DeviceReportIntake devices;
  private final InstantSource clock;

  public MediationService(ReportIntake intake, DeviceReportIntake devices, InstantSource clock) {
    this.intake = intake;
    this.devices = devices;
    this.clock = clock;
  }

  @Override
  public void submit(SubmitRequest request, StreamObserver<SubmitResponse> answer) {
    if (isTooLong(request.getReportsCount(), answer)) {
      return;
    }
    answer.onNext(submit(request));
    answer.onCompleted();
  }

  @Override
  public void submitDeviceReports(
      SubmitDeviceReportsRequest request, StreamObserver<SubmitResponse> answer) {
    if (isTooLong(request.getReportsCount(), answer)) {
      return;
    }
    answer.onNext(submit(request));
    answer.onCompleted();
  }

  private static boolean isTooLong(int reports, StreamObserver<SubmitResponse> answer) {
    if (reports <= REPORTS_MAX) {
      return false;
    }
    answer.onError(
        Status.INVALID_ARGUMENT
            .withDescription(
                "a request has at most %d reports, got %d".formatted(REPORTS_MAX, reports))
            .asRuntimeException());
    return true;
  }

  /// Returns one verdict for each report of a device, in order.
  SubmitResponse submit(SubmitDeviceReportsRequest request) {
    List<ReportAck> acks;
    try {
      acks =
          devices.take(
              request.getReportsList(),
              request.getTokenKeysList(),
              receivedAt(request.getReceivedMs(), clock.instant()));
    } catch (DataAccessException | TransactionException e) {
      LOG.warn(
          "{} reports of devices deferred, database: {}",
          request.getReportsCount(),
          rootMessage(e));
      acks =
          request.getReportsList().stream()
              .map(each -> DeviceReportIntake.ack(each, ReportVerdict.DEFERRED, DATABASE_AWAY))
              .toList();
      devices.deferred(acks.size());
    }
    return SubmitResponse.newBuilder().addAllAcks(acks).build();
  }

  /// Returns one verdict for each report, in order.
  SubmitResponse submit(SubmitRequest request) {
    Instant receivedAt = receivedAt(request.getReceivedMs(), clock.instant());
    List<ReportIntake.Arrived> reports =
        request.getReportsList().stream()
            .map(signed -> new ReportIntake.Arrived(signed, receivedAt))
            .toList();
    List<ReportAck> acks;
    try {
      acks = intake.take(reports, List.of(request.getTokenKeysList()));
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("{} reports deferred, database: {}", reports.size(), rootMessage(e));
      acks = request.getReportsList().stream().map(MediationService::deferred).toList();
      intake.deferred(acks.size());
    }
    return SubmitResponse.newBuilder().addAllAcks(acks).build();
  }

  private static Instant receivedAt(long claimedMs, Instant now) {
    Instant claimed = Instant.ofEpochMilli(Math.clamp(claimedMs, 0, 1L << 50));
    return Duration.between(claimed, now).abs().compareTo(BRIDGE_CLOCK_TOLERATED) <= 0
        ? claimed
        : now.truncatedTo(ChronoUnit.MILLIS);
  }

  private static ReportAck deferred(SignedUsageReport signed) {
    UsageReport report;
    try {
      report = UsageReport.parseFrom(signed.getReport());
    } catch (InvalidProtocolBufferException _) {
      report = UsageReport.getDefaultInstance();
    }
    return ReportAck.newBuilder()
        .setSnaptId(report.getSnaptId())
        .setSessionId(report.getSessionId())
        .setEpoch(report.getEpoch())
        .setSequence(report.getSequence())
        .setVerdict(ReportVerdict.DEFERRED)
        .setReason(DATABASE_AWAY)
        .build();
  }

  private static String rootMessage(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.toString();
  }
}
