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
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/// Receives usage reports by gRPC. A request is answered after its commit. If the database is not
/// available, or if the bridge's clock and billing's differ, every report of the request is
/// DEFERRED, and its sender keeps it.
public final class MediationService extends MediationGrpc.MediationImplBase {
  /// Most reports of one request, as the protocol states.
  static final int REPORTS_MAX = 256;

  private static final String DATABASE_AWAY =
      "the database is away: keep the report and send it again";

  private static final String CLOCKS_DIFFER =
      "the clocks of billing and the bridge differ: keep the report and send it again";

  private static final Logger LOG = LoggerFactory.getLogger(MediationService.class);

  private final ReportIntake intake;
  private final DeviceReportIntake devices;
  private final BridgeClocks clocks;

  public MediationService(ReportIntake intake, DeviceReportIntake devices, BridgeClocks clocks) {
    this.intake = intake;
    this.devices = devices;
    this.clocks = clocks;
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
    Instant receivedAt = instant(request.getReceivedMs());
    if (!clocks.areTrusted(PeerCheck.NAME.get(), receivedAt)) {
      return deferred(request, CLOCKS_DIFFER);
    }
    try {
      List<ReportAck> acks =
          devices.take(request.getReportsList(), request.getTokenKeysList(), receivedAt);
      return SubmitResponse.newBuilder().addAllAcks(acks).build();
    } catch (DataAccessException | TransactionException e) {
      LOG.warn(
          "{} reports of devices deferred, database: {}",
          request.getReportsCount(),
          rootMessage(e));
      return deferred(request, DATABASE_AWAY);
    }
  }

  private SubmitResponse deferred(SubmitDeviceReportsRequest request, String why) {
    devices.deferred(request.getReportsCount());
    return SubmitResponse.newBuilder()
        .addAllAcks(
            request.getReportsList().stream()
                .map(each -> DeviceReportIntake.ack(each, ReportVerdict.DEFERRED, why))
                .toList())
        .build();
  }

  /// Returns one verdict for each report, in order.
  SubmitResponse submit(SubmitRequest request) {
    Instant receivedAt = instant(request.getReceivedMs());
    if (!clocks.areTrusted(PeerCheck.NAME.get(), receivedAt)) {
      return deferred(request, CLOCKS_DIFFER);
    }
    List<ReportIntake.Arrived> reports =
        request.getReportsList().stream()
            .map(signed -> new ReportIntake.Arrived(signed, receivedAt))
            .toList();
    try {
      List<ReportAck> acks = intake.take(reports, List.of(request.getTokenKeysList()));
      return SubmitResponse.newBuilder().addAllAcks(acks).build();
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("{} reports deferred, database: {}", reports.size(), rootMessage(e));
      return deferred(request, DATABASE_AWAY);
    }
  }

  private SubmitResponse deferred(SubmitRequest request, String why) {
    intake.deferred(request.getReportsCount());
    return SubmitResponse.newBuilder()
        .addAllAcks(request.getReportsList().stream().map(signed -> deferred(signed, why)).toList())
        .build();
  }

  private static Instant instant(long claimedMs) {
    return Instant.ofEpochMilli(Math.clamp(claimedMs, 0, 1L << 50));
  }

  private static ReportAck deferred(SignedUsageReport signed, String why) {
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
        .setReason(why)
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
