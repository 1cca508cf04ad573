package io.viaduct.billing.mediation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.billing.settlement.DeviceInterval;
import io.viaduct.billing.settlement.DeviceReportRefusal;
import io.viaduct.billing.settlement.MeasuredInterval;
import io.viaduct.service.digest.Sha256;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DeviceFlow;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.security.PublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/// Validates reports of devices. A report must keep the rules of a SNAPT's report, have a valid
/// token, and be signed by the token's device key.
final class DeviceReportValidation {
  static final int REPORT_BYTES_MAX = 16 * 1024;
  static final int FLOWS_MAX = 64;

  /// The result of validating a report.
  sealed interface Result {
    record Valid(DeviceInterval report) implements Result {}

    record Refused(DeviceReportRefusal why, String detail) implements Result {}
  }

  private final ReportValidation rules;

  DeviceReportValidation(ReportValidation rules) {
    this.rules = rules;
  }

  /// Validates one report.
  ///
  /// @param receivedAt time when the bridge received it
  Result validate(SignedDeviceReport signed, Instant receivedAt) {
    DeviceReport report;
    SessionToken token;
    try {
      if (signed.getReport().size() > REPORT_BYTES_MAX) {
        return refused(
            DeviceReportRefusal.TOO_LARGE, "a report has at most " + REPORT_BYTES_MAX + " bytes");
      }
      report = DeviceReport.parseFrom(signed.getReport());
      token = SessionToken.parseFrom(signed.getToken().getToken());
    } catch (InvalidProtocolBufferException e) {
      return refused(DeviceReportRefusal.INVALID, "not a DeviceReport with its token");
    }
    if (report.getFlowsCount() > FLOWS_MAX) {
      return refused(DeviceReportRefusal.TOO_LARGE, "a report has at most " + FLOWS_MAX + " flows");
    }
    return switch (rules.validate(asOfSnapt(report, signed), receivedAt)) {
      case ReportValidation.Result.Refused(var _, var why, String detail) ->
          refused(DeviceReportRefusal.INVALID, why + ": " + detail);
      case ReportValidation.Result.Valid(MeasuredInterval interval) ->
          switch (interval.evidence().strength()) {
            case NO_TOKEN, TOKEN_KEY_UNKNOWN, DEVICE_REPORT ->
                refused(DeviceReportRefusal.NO_TOKEN, "no token of a bridge that billing knows");
            case SIGNED, RECEIPT_OWED -> signedBy(token, signed, interval);
          };
    };
  }

  private static Result signedBy(
      SessionToken token, SignedDeviceReport signed, MeasuredInterval interval) {
    Optional<PublicKey> device = TokenKeys.publicKey(token.getDeviceKey());
    if (device.isEmpty()
        || !SignedMessage.DEVICE_REPORT.isSignedBy(
            device.get(), signed.getReport(), signed.getSignature())) {
      return refused(DeviceReportRefusal.FORGED, "the signature is not by the token's device key");
    }
    return new Result.Valid(
        new DeviceInterval(
            interval.key(),
            interval.account(),
            Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(token.getDeviceKey().toByteArray()),
            interval.startedAt(),
            interval.endedAt(),
            interval.receivedAt(),
            interval.clock(),
            interval.preBytes(),
            signed.toByteArray(),
            Sha256.of(signed.getReport().toByteArray())));
  }

  private static Result refused(DeviceReportRefusal why, String detail) {
    return new Result.Refused(why, detail);
  }

  // The rules of a SNAPT's report, for the fields that both have.
  private static SignedUsageReport asOfSnapt(DeviceReport report, SignedDeviceReport signed) {
    UsageReport.Builder usage =
        UsageReport.newBuilder()
            .setSnaptId(report.getSnaptId())
            .setSessionId(report.getSessionId())
            .setEpoch(report.getEpoch())
            .setSequence(report.getSequence())
            .setAccount(report.getAccount())
            .setIcid(report.getIcid())
            .setTokenId(report.getTokenId())
            .setStartMs(report.getStartMs())
            .setEndMs(report.getEndMs())
            .setLast(report.getLast());
    long bytes = 0;
    for (DeviceFlow flow : report.getFlowsList()) {
      bytes += flow.getUpBytes() + flow.getDownBytes();
      usage.addFlows(
          FlowUsage.newBuilder()
              .setFlow(flow.getFlow())
              .setServiceClassValue(flow.getServiceClassValue())
              .setApplication(flow.getApplication())
              .setProtocol(flow.getProtocol())
              .setUp(direction(flow.getUpBytes()))
              .setDown(direction(flow.getDownBytes()))
              .setDurationMs(flow.getDurationMs())
              .setDelayMs(flow.getDelayMs())
              .setDelaySource(DelaySource.MEASURED));
    }
    SignedUsageReport.Builder envelope =
        SignedUsageReport.newBuilder()
            .setReport(usage.setPreBytes(bytes).setPostBytes(bytes).build().toByteString());
    return signed.hasToken() ? envelope.setToken(signed.getToken()).build() : envelope.build();
  }

  private static DirectionUsage direction(long bytes) {
    return DirectionUsage.newBuilder().setPreBytes(bytes).setPostBytes(bytes).build();
  }
}
