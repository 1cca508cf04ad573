package io.viaduct.billing.tariff;

/// The party that gets the discount for saved bytes.
public enum Beneficiary {
  /// The user who pays the charge.
  USER,
  /// The owner of the SNAPT, who shares access.
  SHARER,
  /// Both, half each; the user has the odd micro-denarius.
  SPLIT
}
