package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;

/// A bound on the charge of a use.
@FunctionalInterface
public interface UseBound {
  /// Returns the most that an amount of use can cost.
  MicroDenarii charge(Use use);
}
