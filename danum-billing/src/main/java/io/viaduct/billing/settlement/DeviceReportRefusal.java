package io.viaduct.billing.settlement;

/// The reasons for not storing a device's report.
public enum DeviceReportRefusal {
  /// A rule of every report is broken: [ReportRefusal].
  INVALID,
  /// The token is missing, or not one of a bridge.
  NO_TOKEN,
  /// The signature is not by the device key of the token.
  FORGED,
  /// Too many lines or bytes.
  TOO_LARGE,
  UNKNOWN_ACCOUNT,
  /// It came after the adjustment time.
  TOO_LATE,
  /// The account has another report of this interval.
  CONFLICT,
  /// The user of the interval was erased.
  ACCOUNT_ERASED
}
