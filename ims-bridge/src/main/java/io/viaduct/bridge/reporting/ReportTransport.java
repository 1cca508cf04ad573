package io.viaduct.bridge.reporting;

/// The way of verified reports to billing.
public interface ReportTransport extends AutoCloseable {
  /// Takes a report. It is acknowledged in any case, once. Does not block.
  void submit(PendingReport pending);

  /// Returns the number of reports that are taken and not acknowledged.
  int queued();

  /// Returns the most reports that may be taken and not acknowledged.
  int queuedMax();

  @Override
  void close();
}
