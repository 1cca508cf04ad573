package io.viaduct.bridge.reporting;

import io.viaduct.usage.v1.ReportAck;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The open streams of reports, one for each SNAPT: the latest. Passes billing's verdicts on queued
/// reports to them. Thread-safe.
public final class ReportStreams {
  private final Map<String, ReportStream> open = new ConcurrentHashMap<>();
  private final QueueMeters meters;

  public ReportStreams(QueueMeters meters) {
    this.meters = meters;
  }

  void opened(String snapt, ReportStream stream) {
    open.put(snapt, stream);
  }

  void closed(String snapt, ReportStream stream) {
    open.remove(snapt, stream);
  }

  /// Passes a verdict to the SNAPT that it names. A SNAPT that is not here has its stream at
  /// another bridge, or sends its reports again on its next one.
  void pass(ReportAck verdict) {
    ReportStream stream = open.get(verdict.getSnaptId());
    if (stream == null) {
      meters.verdict(QueueMeters.Verdict.OTHER_BRIDGE);
    } else {
      meters.verdict(
          stream.verdict(verdict)
              ? QueueMeters.Verdict.PASSED
              : QueueMeters.Verdict.SNAPT_DOES_NOT_READ);
    }
  }
}
