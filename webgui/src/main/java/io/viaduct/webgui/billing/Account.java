package io.viaduct.webgui.billing;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// @param id local part of the user's SIP address of record
/// @param role `user` or `operator`
/// @param displayName chosen by people: show it, never trust it
public record Account(String id, @Nullable String role, @Nullable String displayName) {
  public Account {
    Objects.requireNonNull(id);
  }
}
