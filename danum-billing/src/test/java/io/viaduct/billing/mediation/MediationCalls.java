package io.viaduct.billing.mediation;

import io.grpc.ManagedChannel;
import io.viaduct.billing.RunningBilling;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.UsageReport;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Calls of mediation by gRPC with mutual TLS.
final class MediationCalls {
  private MediationCalls() {}

  /// Submits reports, and closes the connection.
  static List<ReportAck> submit(ManagedChannel channel, Instant received, UsageReport... reports)
      throws Exception {
    try {
      return MediationGrpc.newBlockingStub(channel)
          .withDeadlineAfter(20, TimeUnit.SECONDS)
          .submit(Reports.request(received, List.of(reports)))
          .getAcksList();
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  /// Submits reports as the bridge.
  static List<ReportAck> asBridge(RunningBilling billing, Instant received, UsageReport... reports)
      throws Exception {
    return submit(billing.channel("ims-bridge"), received, reports);
  }
}
