package io.viaduct.billing.mediation;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.ProvenReport;
import io.viaduct.usage.RelaysOfReport;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DeviceFlow;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.UsageReport;
import java.security.KeyPair;
import java.time.Instant;
import java.util.List;

/// Makes reports like those of a SNAPT.
public final class Reports {
  /// Signs all tokens as the bridge, and all receipts as the device.
  public static final ProvenReport PROVEN = new ProvenReport();

  private static final KeyPair SNAPT = Ed25519.generate();

  private Reports() {}

  public static FlowUsage flow(int id, String application, long pre, long post, double delayMs) {
    return FlowUsage.newBuilder()
        .setFlow(id)
        .setServiceClass(ServiceClass.HT_LD)
        .setApplication(application)
        .setProtocol(17)
        .setRemoteAddress("192.0.2.1")
        .setRemotePort(5000)
        .setUp(
            DirectionUsage.newBuilder().setPreBytes(pre / 3).setPostBytes(post / 3).setPackets(10))
        .setDown(
            DirectionUsage.newBuilder()
                .setPreBytes(pre - pre / 3)
                .setPostBytes(post - post / 3)
                .setPackets(20))
        .setDurationMs(60_000)
        .setDelayMs(delayMs)
        .setDelayErrorMs(2.5)
        .setDelaySource(DelaySource.MEASURED)
        .build();
  }

  /// Returns the two flows of the worked example. They cost 13 510 279 and 22 030 879
  /// micro-denarii; their discounts sum to 1 192 500.
  public static List<FlowUsage> workedExample() {
    return List.of(
        flow(1, "skype-video", 2_550_000, 1_020_000, 140),
        flow(2, "hangout-video", 1_425_000, 570_000, 150));
  }

  public static UsageReport.Builder report(
      String snapt,
      String session,
      long epoch,
      long sequence,
      String account,
      Instant end,
      List<FlowUsage> flows) {
    UsageReport.Builder report =
        UsageReport.newBuilder()
            .setSnaptId(snapt)
            .setSessionId(session)
            .setEpoch(epoch)
            .setSequence(sequence)
            .setAccount(account)
            .setIcid("icid-1")
            .setTokenId("token-1")
            .setStartMs(end.toEpochMilli() - 60_000)
            .setEndMs(end.toEpochMilli())
            .addAllFlows(flows);
    for (FlowUsage flow : flows) {
      report.setPreBytes(
          report.getPreBytes() + flow.getUp().getPreBytes() + flow.getDown().getPreBytes());
      report.setPostBytes(
          report.getPostBytes() + flow.getUp().getPostBytes() + flow.getDown().getPostBytes());
    }
    return report;
  }

  /// Returns a report with token and receipt, and with its relays apart.
  public static SignedUsageReport signed(UsageReport report) {
    RelaysOfReport apart = RelaysOfReport.takeOut(report, SNAPT.getPrivate());
    return bySnapt(PROVEN.complete(apart.report())).toBuilder().setRelays(apart.list()).build();
  }

  /// Returns the worked example of snapt-acme as a bridge writes it to the topic.
  public static QueuedReport queued(String session, long sequence, String payer, Instant now) {
    return QueuedReport.newBuilder()
        .setReport(
            signed(report("snapt-acme", session, 1, sequence, payer, now, workedExample()).build()))
        .setReceivedMs(now.toEpochMilli())
        .addTokenKeys(PROVEN.tokenKey())
        .build();
  }

  /// Returns the same report, but without its receipt.
  public static SignedUsageReport unsigned(UsageReport report) {
    RelaysOfReport apart = RelaysOfReport.takeOut(report, SNAPT.getPrivate());
    return bySnapt(PROVEN.unsigned(apart.report())).toBuilder().setRelays(apart.list()).build();
  }

  /// Returns the report of the device about the interval of a SNAPT's report: it has seen the same
  /// bytes, and more in the first flow.
  public static SignedDeviceReport ofDevice(UsageReport report, long moreBytes) {
    DeviceReport.Builder seen =
        DeviceReport.newBuilder()
            .setSnaptId(report.getSnaptId())
            .setSessionId(report.getSessionId())
            .setEpoch(report.getEpoch())
            .setSequence(report.getSequence())
            .setAccount(report.getAccount())
            .setIcid(report.getIcid())
            .setTokenId(report.getTokenId())
            .setStartMs(report.getStartMs())
            .setEndMs(report.getEndMs());
    for (FlowUsage flow : report.getFlowsList()) {
      seen.addFlows(
          DeviceFlow.newBuilder()
              .setFlow(flow.getFlow())
              .setServiceClass(flow.getServiceClass())
              .setApplication(flow.getApplication())
              .setProtocol(flow.getProtocol())
              .setUpBytes(flow.getUp().getPreBytes() + (seen.getFlowsCount() == 0 ? moreBytes : 0))
              .setDownBytes(flow.getDown().getPreBytes())
              .setDurationMs(flow.getDurationMs())
              .setDelayMs(flow.getDelayMs()));
    }
    return PROVEN.ofDevice(seen.build(), PROVEN.token(report));
  }

  /// Adds the SNAPT's signature. Billing stores it but does not check it: the bridge does.
  public static SignedUsageReport bySnapt(SignedUsageReport envelope) {
    return envelope.toBuilder()
        .setSignature(ByteString.copyFrom(new byte[64]))
        .setKeyId("key-1")
        .build();
  }

  public static SubmitRequest request(Instant received, List<UsageReport> reports) {
    return requestOf(received, reports.stream().map(Reports::signed).toList());
  }

  public static SubmitRequest requestOf(Instant received, List<SignedUsageReport> envelopes) {
    return SubmitRequest.newBuilder()
        .setReceivedMs(received.toEpochMilli())
        .addAllReports(envelopes)
        .addTokenKeys(PROVEN.tokenKey())
        .build();
  }
}
