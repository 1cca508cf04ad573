package io.viaduct.webgui.billing;

import io.viaduct.webgui.peer.BearerToken;
import java.time.Instant;

/// Billing's answer to a right password.
public record OpenedSession(String token, String user, String role, Instant expiresAt) {
  public BearerToken bearer() {
    return new BearerToken(token);
  }

  @Override
  public String toString() {
    return "OpenedSession[" + user + ", " + role + ", until " + expiresAt + "]";
  }
}
