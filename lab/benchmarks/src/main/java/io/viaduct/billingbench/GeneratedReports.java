package io.viaduct.billingbench;

import com.google.protobuf.ByteString;
import io.viaduct.usage.ProvenReport;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.UsageReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Reports as a bridge forwards them: signed by device and bridge, each with the flows of one
/// minute. A session has five intervals and one token. Sessions take the accounts in turn. The
/// SNAPT's signature is not checked by billing, so it is 64 zero bytes.
final class GeneratedReports {
  /// Most reports of one request: the bridge's default `billing.batch`.
  static final int REQUEST_REPORTS = 256;

  private static final int SESSION_INTERVALS = 5;
  private static final long INTERVAL_MS = 60_000;

  private record Kind(String application, ServiceClass serviceClass, int bytes, double delayMs) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("web", ServiceClass.HT_HD, 400_000, 35),
          new Kind("voice-call", ServiceClass.HT_LD, 90_000, 40),
          new Kind("ssh", ServiceClass.LT_LD, 12_000, 20),
          new Kind("skype-video", ServiceClass.HT_LD, 900_000, 60));

  private final ProvenReport proof = new ProvenReport();
  private final String run;
  private final int accounts;
  private final int flows;
  private final Random random;
  private int sessions;

  /// @param run part of the names of sessions, unique in the database
  /// @param flows of each report
  /// @param seed of bytes and delays
  GeneratedReports(String run, int accounts, int flows, long seed) {
    this.run = run;
    this.accounts = accounts;
    this.flows = flows;
    random = new Random(seed);
  }

  /// Returns the applications that flows take in turn.
  static List<String> applications() {
    return KINDS.stream().map(Kind::application).toList();
  }

  static String account(int number) {
    return "bench-" + number;
  }

  /// Returns requests with at least this many reports, whose last intervals end at a time.
  List<SubmitRequest> requests(int reports, Instant end, Instant received) {
    List<SubmitRequest> requests = new ArrayList<>();
    List<SignedUsageReport> waiting = new ArrayList<>();
    for (int made = 0; made < reports; made += SESSION_INTERVALS) {
      waiting.addAll(session(account(sessions % accounts), end));
      if (waiting.size() + SESSION_INTERVALS > REQUEST_REPORTS
          || made + SESSION_INTERVALS >= reports) {
        requests.add(request(waiting, received));
        waiting.clear();
      }
    }
    return requests;
  }

  /// Returns one report for an account, in a request of its own.
  SubmitRequest single(String account, Instant end) {
    return request(session(account, end).subList(0, 1), end);
  }

  private SubmitRequest request(List<SignedUsageReport> reports, Instant received) {
    return SubmitRequest.newBuilder()
        .setReceivedMs(received.toEpochMilli())
        .addAllReports(reports)
        .addTokenKeys(proof.tokenKey())
        .build();
  }

  private List<SignedUsageReport> session(String account, Instant end) {
    String session = run + "-" + sessions++;
    List<UsageReport> reports = new ArrayList<>();
    for (int sequence = 0; sequence < SESSION_INTERVALS; sequence++) {
      long endMs = end.toEpochMilli() - (SESSION_INTERVALS - 1 - sequence) * INTERVAL_MS;
      reports.add(report(session, sequence, account, endMs));
    }
    SignedSessionToken token =
        proof.token(
            reports.getFirst(), t -> t.setExpiresMs(reports.getLast().getEndMs() + INTERVAL_MS));
    return reports.stream()
        .map(report ->
            SignedUsageReport.newBuilder()
                .setReport(report.toByteString())
                .setToken(token)
                .setReceipt(proof.receipt(report))
                .setSignature(ByteString.copyFrom(new byte[64]))
                .setKeyId("bench")
                .build())
        .toList();
  }

  private UsageReport report(String session, int sequence, String account, long endMs) {
    UsageReport.Builder report =
        UsageReport.newBuilder()
            .setSnaptId("snapt-bench")
            .setSessionId(session)
            .setEpoch(1)
            .setSequence(sequence)
            .setAccount(account)
            .setIcid("icid-" + session)
            .setTokenId("token-" + session)
            .setStartMs(endMs - INTERVAL_MS)
            .setEndMs(endMs);
    for (int i = 0; i < flows; i++) {
      FlowUsage flow = flow(i);
      report.addFlows(flow);
      report.setPreBytes(
          report.getPreBytes() + flow.getUp().getPreBytes() + flow.getDown().getPreBytes());
      report.setPostBytes(
          report.getPostBytes() + flow.getUp().getPostBytes() + flow.getDown().getPostBytes());
    }
    return report.build();
  }

  private FlowUsage flow(int number) {
    Kind kind = KINDS.get(number % KINDS.size());
    int up = 1 + random.nextInt(kind.bytes() / 4);
    int down = 1 + random.nextInt(kind.bytes());
    return FlowUsage.newBuilder()
        .setFlow(number)
        .setServiceClass(kind.serviceClass())
        .setApplication(kind.application())
        .setProtocol(6)
        .setRemoteAddress("192.0.2." + (1 + random.nextInt(250)))
        .setRemotePort(443)
        .setUp(direction(up))
        .setDown(direction(down))
        .setDurationMs(INTERVAL_MS)
        .setDelayMs(kind.delayMs() * (0.5 + random.nextDouble()))
        .setDelayErrorMs(2)
        .setDelaySource(DelaySource.MEASURED)
        .build();
  }

  private static DirectionUsage direction(int bytes) {
    return DirectionUsage.newBuilder()
        .setPreBytes(bytes)
        .setPostBytes(bytes * 2L / 3)
        .setPackets(bytes / 1200 + 1)
        .build();
  }
}
