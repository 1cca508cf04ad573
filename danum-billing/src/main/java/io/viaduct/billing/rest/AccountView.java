package io.viaduct.billing.rest;

import io.viaduct.billing.account.Account;
import java.time.Instant;
import org.springframework.http.ResponseEntity;

/// An account as the REST interface shows it.
///
/// @param state active, suspended or closed
/// @param sipSecret secret that its devices register with: none, shared (the password), separate
record AccountView(
    String id, String displayName, String role, String state, String sipSecret, Instant createdAt) {
  /// Returns the view with the entity tag of the account.
  static ResponseEntity<AccountView> tagged(Account account) {
    return ResponseEntity.ok().eTag(EntityTag.of(account.version())).body(of(account));
  }

  static AccountView of(Account account) {
    return new AccountView(
        account.id(),
        account.displayName(),
        account.role().word(),
        account.state().word(),
        account.sipSecret().word(),
        account.createdAt());
  }
}
