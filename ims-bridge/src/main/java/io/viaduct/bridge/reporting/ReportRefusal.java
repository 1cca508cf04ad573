package io.viaduct.bridge.reporting;

import io.viaduct.usage.ReportFlaw;
import io.viaduct.usage.v1.ReportVerdict;

/// Reasons for which the bridge refuses a usage report. Each reason is one counter, and is named in
/// the acknowledgement.
public enum ReportRefusal {
  /// Longer than gRPC's message limit. The stream ends with RESOURCE_EXHAUSTED, without an
  /// acknowledgement.
  OVER_MESSAGE_LIMIT,
  /// Longer than `reporting.bytes`.
  TOO_LONG,
  /// Not a `UsageReport`.
  MALFORMED,
  /// The report names another SNAPT than the certificate.
  FOREIGN_SNAPT,
  /// Another process holds the SNAPT's id: deferred, because the report is genuine.
  ID_IN_USE,
  WRONG_SIGNATURE,
  /// The SNAPT is not enrolled any more. The stream ends without an acknowledgement, so the SNAPT
  /// keeps its reports: they are taken if it is enrolled again.
  NOT_ENROLLED,
  /// Session, account or sequence is missing.
  INCOMPLETE,
  /// The following are the values of [ReportFlaw], which documents them.
  EMPTY_INTERVAL,
  FLOW_OVER_INTERVAL,
  OVER_LINE_RATE,
  SEQUENCE_JUMP,
  TOKEN_MALFORMED,
  /// The report is deferred, not rejected: the operator may add the key to `token.accepted-keys`.
  TOKEN_KEY_UNKNOWN,
  TOKEN_FORGED,
  TOKEN_OF_OTHER_SESSION,
  TOKEN_OF_OTHER_AUDIENCE,
  TOKEN_NOT_VALID_THEN,
  RECEIPT_MALFORMED,
  RECEIPT_FORGED,
  RECEIPT_OF_OTHER_INTERVAL,
  RECEIPT_OF_OTHER_COUNTS;

  static ReportRefusal of(ReportFlaw flaw) {
    return valueOf(flaw.name());
  }

  /// Returns the verdict for the SNAPT. It keeps a deferred report, so that the operator can still
  /// correct the configuration.
  ReportVerdict verdict() {
    return this == TOKEN_KEY_UNKNOWN ? ReportVerdict.DEFERRED : ReportVerdict.REJECTED;
  }
}
