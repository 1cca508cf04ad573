package io.viaduct.billing.provisioning;

import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.account.SipSecret;
import org.jspecify.annotations.Nullable;

/// An operator's change of a user. A null component stays unchanged.
///
/// @param password password for the pages; also for the devices while the secret is shared
/// @param sipPassword password for the devices only
/// @param sipSecret the secret that the devices register with
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
