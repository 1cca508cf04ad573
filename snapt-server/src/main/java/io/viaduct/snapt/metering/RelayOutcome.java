package io.viaduct.snapt.metering;

/// The treatment of wire bytes that came or went by the session of a neighbour; each value is a
/// counter.
public enum RelayOutcome {
  /// The report names the account of the neighbour.
  NAMED,
  /// The neighbour's session is of the same account, which earns nothing for its own bytes.
  OWN_ACCOUNT,
  /// The interval has as many neighbours as a report may name.
  TOO_MANY,
  /// No session has the address, or the member of the group that has it has not answered yet.
  UNKNOWN
}
