package io.viaduct.webgui.login;

import io.viaduct.webgui.billing.OpenedSession;
import io.viaduct.webgui.peer.BearerToken;
import java.time.Instant;
import java.util.Locale;

/// The visitor of a browser session, as billing answered at log-in. Stays in the server's memory;
/// neither token nor role ever travel to the browser.
///
/// @param account id of the visitor's own account
/// @param until billing's expiry of the token
/// @param lacksSecondFactor true if the visitor must set up a second factor before anything else
public record SignedIn(
    String account, Role role, BearerToken token, Instant until, boolean lacksSecondFactor) {
  /// The visitor's role, as billing states it.
  public enum Role {
    USER,
    OPERATOR,
    AUDITOR,
    SNAPT_OWNER;

    /// Returns the role that billing names, e.g. `snapt-owner`. An unknown role is a user's.
    static Role of(String word) {
      for (Role role : values()) {
        if (role.name().equals(word.toUpperCase(Locale.ROOT).replace('-', '_'))) {
          return role;
        }
      }
      return USER;
    }
  }

  static SignedIn of(OpenedSession session) {
    return new SignedIn(
        session.user(),
        Role.of(session.role()),
        session.bearer(),
        session.expiresAt(),
        session.lacksSecondFactor());
  }

  /// Returns the same visitor with a second factor.
  public SignedIn withSecondFactor() {
    return new SignedIn(account, role, token, until, false);
  }

  public boolean isUser() {
    return role == Role.USER;
  }

  public boolean isOperator() {
    return role == Role.OPERATOR;
  }

  /// Returns true for an owner of SNAPTs, whose name as an owner is the account's id.
  public boolean ownsSnapts() {
    return role == Role.SNAPT_OWNER;
  }

  /// Returns true if the visitor may read the pages of operators.
  public boolean readsAll() {
    return role == Role.OPERATOR || role == Role.AUDITOR;
  }

  /// Returns false for an auditor, who gets pages without forms.
  public boolean mayChange() {
    return role != Role.AUDITOR;
  }

  /// True if the visitor's own rules allow to open pages of this account; billing checks again.
  public boolean mayOpen(String otherAccount) {
    return readsAll() || isUser() && account.equals(otherAccount);
  }
}
