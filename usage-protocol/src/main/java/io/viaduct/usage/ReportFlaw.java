package io.viaduct.usage;

/// Names the rule that a usage report, its token or its receipt breaks. The bridge and billing
/// check the same rules and give each of them a refusal of the same name.
public enum ReportFlaw {
  /// The interval ends when it starts, or before.
  EMPTY_INTERVAL,
  /// A flow lived longer than the interval of its report.
  FLOW_OVER_INTERVAL,
  /// One direction carried more bytes than the SNAPT's line takes in the interval.
  OVER_LINE_RATE,
  /// The sequence is beyond every number that a session reaches.
  SEQUENCE_JUMP,
  /// The token's bytes are no `SessionToken`, or its device key is no key.
  TOKEN_MALFORMED,
  /// The token names a key that is not among the known ones. It can be mended: the operator adds
  /// the key.
  TOKEN_KEY_UNKNOWN,
  /// The token's signature is not by the key that it names.
  TOKEN_FORGED,
  /// The token is of another account, token id or ICID than the report.
  TOKEN_OF_OTHER_SESSION,
  /// The token is for another group of SNAPTs.
  TOKEN_OF_OTHER_AUDIENCE,
  /// The token was not valid at any time of the interval.
  TOKEN_NOT_VALID_THEN,
  /// The receipt's bytes are no `Receipt`.
  RECEIPT_MALFORMED,
  /// The receipt's signature is not by the device key of the token.
  RECEIPT_FORGED,
  /// The receipt names another SNAPT, session, epoch, sequence, start or end than the report.
  RECEIPT_OF_OTHER_INTERVAL,
  /// The receipt agrees with other byte counts than the report's.
  RECEIPT_OF_OTHER_COUNTS
}
