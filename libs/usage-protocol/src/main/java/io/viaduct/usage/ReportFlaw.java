package io.viaduct.usage;

/// Rules that a usage report, its token or its receipt can break. The bridge and billing check the
/// same rules and have a refusal of the same name for each.
public enum ReportFlaw {
  /// The interval's end is not after its start.
  EMPTY_INTERVAL,
  /// A flow lasted longer than the interval of its report.
  FLOW_OVER_INTERVAL,
  /// One direction carried more bytes than the SNAPT's line can carry in the interval.
  OVER_LINE_RATE,
  /// The sequence is higher than any session can reach.
  SEQUENCE_JUMP,
  /// The token's bytes are no `SessionToken`, or its device key is not 32 bytes long.
  TOKEN_MALFORMED,
  /// The token names an unknown key. The operator can repair this by adding the key.
  TOKEN_KEY_UNKNOWN,
  /// The token's signature is not by the key that it names.
  TOKEN_FORGED,
  /// The token has another account, token id or ICID than the report.
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
  /// The receipt states other byte counts than the report.
  RECEIPT_OF_OTHER_COUNTS
}
