package io.viaduct.bridge.reporting;

/// Why a report goes no further than the bridge. Each is one counter, and the reason in its
/// acknowledgement.
public enum ReportRefusal {
  /// Longer than gRPC takes: its stream ends with RESOURCE_EXHAUSTED, there is no acknowledgement.
  OVER_MESSAGE_LIMIT,
  /// Longer than `reporting.bytes`.
  TOO_LONG,
  /// Not a `UsageReport`.
  MALFORMED,
  /// The report names another SNAPT than the certificate.
  FOREIGN_SNAPT,
  WRONG_SIGNATURE,
  /// Session, account or sequence is missing.
  INCOMPLETE
}
