package io.viaduct.webgui.billing;

import io.viaduct.webgui.peer.BearerToken;
import java.time.Instant;
import java.util.Objects;

/// Billing's answer to a right password.
public record OpenedSession(String token, String user, String role, Instant expiresAt) {
  public OpenedSession {
    Objects.requireNonNull(user);
    Objects.requireNonNull(role);
    Objects.requireNonNull(expiresAt);
    token = new BearerToken(token).reveal(); // refuses what is none
  }

  public BearerToken bearer() {
    return new BearerToken(token);
  }

  @Override
  public String toString() {
    return "OpenedSession[" + user + ", " + role + ", until " + expiresAt + "]";
  }
}
