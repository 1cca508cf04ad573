package io.viaduct.snapt.reporting;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptsGrpc;

/// Reports on a stream of the bridge's gRPC port.
///
/// @param channel of the connection, which closes it
public record GrpcReportLine(ManagedChannel channel) implements ReportLine {
  @Override
  public StreamObserver<SignedUsageReport> open(StreamObserver<ReportAck> answers) {
    return SnaptsGrpc.newStub(channel).report(answers);
  }

  @Override
  public String peer() {
    return channel.authority();
  }
}
