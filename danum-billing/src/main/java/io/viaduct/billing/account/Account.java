package io.viaduct.billing.account;

import java.time.Instant;

/// One who may log in and is billed. The password hash stays in the database.
///
/// @param id local user part of the SIP address, e.g. `alice`
/// @param displayName for people; empty once closed
/// @param role what it may see
/// @param state what it may do
/// @param sipSecret what its devices register with
/// @param createdAt when it was opened
public record Account(
    String id,
    String displayName,
    Role role,
    AccountState state,
    SipSecret sipSecret,
    Instant createdAt) {
  /// The characters that an id may have.
  public static final String ID_PATTERN = "[A-Za-z0-9._-]{1,64}";
}
