package io.viaduct.billing.settlement;

/// Why a report is never billed. Each is counted and shown to the operator.
public enum ReportRefusal {
  /// not a UsageReport, or beyond the size limits
  MALFORMED,
  /// an identifying field is empty, too long, or has characters that it must not
  BAD_IDENTITY,
  /// a number is negative, out of range or no number
  BAD_NUMBER,
  /// NaN or infinity where a delay or jitter belongs
  NOT_FINITE,
  /// longer than 10 minutes, or ends before it starts
  BAD_DURATION,
  UNKNOWN_CLASS,
  /// the flows do not add up to the totals
  SUM_MISMATCH,
  DUPLICATE_FLOW,
  /// These are the values of [io.viaduct.usage.ReportFlaw], which says what they mean.
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
  /// the SNAPT has started again since, in this session
  LOWER_EPOCH,
  /// after the time in which an adjustment is posted
  TOO_LATE,
  /// same identity as a billed report, other content
  CONFLICT,
  /// the operator has discarded it while it was held
  DISCARDED
}
