package io.viaduct.denarii.statement;

/// A rule of signed statements (ADR 0055).
public enum Rule {
  /// Each line has the form of its type, and the types come in their order.
  FORMAT,
  /// A receipt's hash is that of its content.
  HASH,
  /// Receipts have the numbers 1, 2, 3 ...: none is missing, none comes twice or elsewhere.
  NUMBER,
  /// A receipt names the hash of the one before.
  CHAIN,
  /// A receipt's balance is that of the one before and its amount.
  BALANCE,
  /// The listed charges are those that the receipt was made for.
  CHARGES,
  /// A receipt's amount is the sum of its charges.
  SUM,
  /// Receipts, roots and the file are signed by a key of billing.
  SIGNATURE,
  /// The keys are those that the command names.
  KEY,
  /// The report is the one that the receipt was made for.
  REPORT,
  /// The SNAPT has signed its report.
  COUNTERSIGNATURE,
  /// The charges are for the flows and bytes that were reported.
  USAGE,
  /// The device has signed the bytes of the SNAPT's report, or its own report.
  DEVICE,
  /// The root of a day covers the receipts before its line.
  ROOT,
  /// The roots are those that the command names.
  PUBLISHED,
  /// The last line fits the file.
  END
}
