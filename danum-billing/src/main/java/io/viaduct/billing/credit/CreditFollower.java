package io.viaduct.billing.credit;

import java.util.Set;

/// Follows changes of the credit of accounts, beside the sessions that ask this instance for
/// quotas.
public interface CreditFollower {
  /// Returns the accounts to look at after notifications may have been missed.
  Set<String> accounts();

  /// Called when the credit of an account has changed, whatever account it is. It may read the
  /// database.
  void changed(String account);
}
