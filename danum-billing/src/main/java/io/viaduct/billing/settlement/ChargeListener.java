package io.viaduct.billing.settlement;

import java.util.Collection;

/// Called after a commit that created charges, changed their state, or moved a balance. Must not
/// block.
@FunctionalInterface
public interface ChargeListener {
  /// Reports a change of one account.
  ///
  /// @param account account id
  /// @param chargeIds changed charges; empty if only the balance moved
  void changed(String account, Collection<Long> chargeIds);
}
