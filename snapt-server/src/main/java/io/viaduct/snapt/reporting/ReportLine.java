package io.viaduct.snapt.reporting;

import io.grpc.stub.StreamObserver;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.SignedUsageReport;

/// The way of reports to the bridge: a gRPC stream, or SIP. Spool, order, window, repetition and
/// verdicts are those of [ReportSender] for both.
public interface ReportLine extends AutoCloseable {
  /// Opens the line.
  ///
  /// @param answers gets an acknowledgement for each report, and the line's end as an error, on any
  ///   thread
  /// @return takes reports; must not block
  StreamObserver<SignedUsageReport> open(StreamObserver<ReportAck> answers);

  /// Returns the name of the other end, for the log.
  String peer();

  @Override
  default void close() {}
}
