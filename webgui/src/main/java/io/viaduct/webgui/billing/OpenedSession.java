package io.viaduct.webgui.billing;

import io.viaduct.webgui.peer.BearerToken;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Billing's answer to a right password, or to a right code.
///
/// @param knownBrowser to be kept by the browser for its next log-in; empty from a billing that has
///   none
/// @param lacksSecondFactor true if the session may only set up the second factor it must have
public record OpenedSession(
    String token,
    String user,
    String role,
    Instant expiresAt,
    @Nullable String knownBrowser,
    boolean lacksSecondFactor) {
  private static final String KNOWN_BROWSER = "[A-Za-z0-9_-]{1,128}";

  public OpenedSession {
    // It goes into a cookie: nothing but base64url.
    knownBrowser = knownBrowser != null && knownBrowser.matches(KNOWN_BROWSER) ? knownBrowser : "";
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
