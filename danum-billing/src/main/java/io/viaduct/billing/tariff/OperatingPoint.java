package io.viaduct.billing.tariff;

/// The throughput at which flows of a class are priced.
public enum OperatingPoint {
  /// The rate that each flow carried: the rule of the seed. A flow that wanted little is priced as
  /// if the network had given it little.
  MEASURED,
  /// The rate that the path offered to all flows of one application in one report: what they
  /// carried together, and what the path could have carried while they had nothing to send.
  OFFERED
}
