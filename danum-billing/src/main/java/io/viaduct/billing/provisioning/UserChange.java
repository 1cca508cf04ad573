package io.viaduct.billing.provisioning;

import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.account.SipSecret;
import org.jspecify.annotations.Nullable;

/// What an operator changes of a user; null leaves it as it is.
///
/// @param password of the pages; of the devices too while the secret is shared
/// @param sipPassword of the devices alone
/// @param sipSecret which of both the devices register with
public record UserChange(
    @Nullable String displayName,
    @Nullable Role role,
    @Nullable AccountState state,
    @Nullable String password,
    @Nullable String sipPassword,
    @Nullable SipSecret sipSecret) {
  @Override
  public String toString() {
    return "UserChange[displayName=%s, role=%s, state=%s, sipSecret=%s]"
        .formatted(displayName, role, state, sipSecret);
  }
}
