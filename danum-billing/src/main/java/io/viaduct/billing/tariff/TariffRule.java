package io.viaduct.billing.tariff;

/// The rules that a tariff must obey.
public enum TariffRule {
  DOCUMENT_VERSION,
  KNOT_COUNT,
  KNOTS_INCREASE,
  FINITE_NOT_NEGATIVE,
  LAST_VALUE_ZERO,
  AREA_POSITIVE,
  NON_INCREASING,
  CLASS_MISSING,
  POSITIVE,
  KAPPA_SIGN,
  FRACTION,
  NAME,
  NOT_A_TARIFF,
  EFFECTIVE_FROM_PAST
}
