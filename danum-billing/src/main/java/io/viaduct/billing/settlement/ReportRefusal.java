package io.viaduct.billing.settlement;

/// The reasons for never billing a report. Each is counted and shown to the operator.
public enum ReportRefusal {
  /// The report is not a UsageReport, or exceeds the size limits.
  MALFORMED,
  /// An identifying field is empty, too long, or has forbidden characters.
  BAD_IDENTITY,
  /// A number is negative or out of range.
  BAD_NUMBER,
  /// A delay, jitter, busy share or spare rate is NaN or infinite.
  NOT_FINITE,
  /// The interval is longer than 10 minutes, or ends before it starts.
  BAD_DURATION,
  UNKNOWN_CLASS,
  /// The sums over the flows differ from the totals.
  SUM_MISMATCH,
  DUPLICATE_FLOW,
  /// The values from here to RECEIPT_OF_OTHER_COUNTS are those of [io.viaduct.usage.ReportFlaw],
  /// which explains them.
  EMPTY_INTERVAL,
  FLOW_OVER_INTERVAL,
  OVER_LINE_RATE,
  /// Also: more than [SequenceGaps#JUMP_MAX] ahead of the session's highest sequence.
  SEQUENCE_JUMP,
  TOKEN_MALFORMED,
  TOKEN_FORGED,
  TOKEN_OF_OTHER_SESSION,
  TOKEN_OF_OTHER_AUDIENCE,
  TOKEN_NOT_VALID_THEN,
  RECEIPT_MALFORMED,
  RECEIPT_FORGED,
  RECEIPT_OF_OTHER_INTERVAL,
  RECEIPT_OF_OTHER_COUNTS,
  /// The SNAPT has restarted since, in this session.
  LOWER_EPOCH,
  /// The report came after the adjustment time.
  TOO_LATE,
  /// A report with the same identity and other content was billed.
  CONFLICT,
  /// An operator discarded the report while it was held.
  DISCARDED,
  /// The user of the interval was erased. The report itself is not stored: it names the user.
  ACCOUNT_ERASED
}
