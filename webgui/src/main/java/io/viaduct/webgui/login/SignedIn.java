package io.viaduct.webgui.login;

import io.viaduct.webgui.peer.BearerToken;
import java.time.Instant;

/// The visitor of a browser session, as billing answered at log-in. Stays in the server's memory;
/// neither token nor role ever travel to the browser.
///
/// @param account id of the visitor's own account
/// @param until billing's expiry of the token
public record SignedIn(String account, Role role, BearerToken token, Instant until) {
  /// The visitor's role, as billing states it.
  public enum Role {
    USER,
    OPERATOR
  }

  public boolean isOperator() {
    return role == Role.OPERATOR;
  }

  /// True if the visitor's own rules allow to open pages of this account; billing checks again.
  public boolean mayOpen(String otherAccount) {
    return isOperator() || account.equals(otherAccount);
  }
}
