package io.viaduct.webgui.billing;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// @param id local part of the user's SIP address of record
/// @param role `user` or `operator`
/// @param state `active`, `suspended` or `closed`
/// @param sipSecret what the devices register with: `none`, `shared` (the password), `separate`
/// @param displayName chosen by people: show it, never trust it
public record Account(
    String id,
    @Nullable String role,
    @Nullable String displayName,
    @Nullable String state,
    @Nullable String sipSecret) {
  public Account {
    Objects.requireNonNull(id);
  }

  public boolean isSuspended() {
    return "suspended".equals(state);
  }

  public boolean isClosed() {
    return "closed".equals(state);
  }
}
