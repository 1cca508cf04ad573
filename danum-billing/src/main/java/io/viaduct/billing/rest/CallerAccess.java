package io.viaduct.billing.rest;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.Role;
import org.springframework.security.core.Authentication;

/// Hides other users' data from a user. The answer is "not found", so that it does not reveal which
/// accounts exist.
final class CallerAccess {
  private CallerAccess() {}

  /// Refuses a user who asks for another user's data.
  static void requireOwn(Caller caller, String account) {
    if (!caller.canSee(account)) {
      throw ProblemException.notFound();
    }
  }

  /// Refuses an owner of SNAPTs who asks for another owner's data.
  static void requireOwnSnapts(Caller caller, String owner) {
    if (caller.role() == Role.SNAPT_OWNER && !caller.account().equals(owner)) {
      throw ProblemException.notFound();
    }
  }

  /// Refuses an API token, which a program has: it must not give itself or others more rights.
  ///
  /// @param what for the refusal: what only a log-in may do
  static void requireLogIn(Caller caller, String what) {
    if (caller.scopes() != null) {
      throw new ProblemException(
          ProblemType.FORBIDDEN, "a token cannot " + what + ": log in to do that");
    }
  }

  /// Returns the token of the log-in that the request belongs to.
  static String token(Authentication login) {
    return String.valueOf(login.getCredentials());
  }

  /// Returns an account that the caller may see.
  static Account visible(Caller caller, Accounts accounts, String id) {
    requireOwn(caller, id);
    return accounts.find(id).orElseThrow(ProblemException::notFound);
  }
}
