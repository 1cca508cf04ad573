package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.Objects;

/// The secret of a link by which a user sets a new password.
public record PasswordReset(String token, Instant expiresAt) {
  public PasswordReset {
    Objects.requireNonNull(token);
    Objects.requireNonNull(expiresAt);
  }

  @Override
  public String toString() {
    return "PasswordReset[expiresAt=" + expiresAt + "]";
  }
}
