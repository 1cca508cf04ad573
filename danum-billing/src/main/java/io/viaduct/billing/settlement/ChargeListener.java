package io.viaduct.billing.settlement;

import java.util.Collection;

/// Told after a commit that charges of an account were made or changed their state, or that its
/// balance moved. Must not block.
@FunctionalInterface
public interface ChargeListener {
  /// @param account whose
  /// @param chargeIds the charges; empty where only the balance moved
  void changed(String account, Collection<Long> chargeIds);
}
