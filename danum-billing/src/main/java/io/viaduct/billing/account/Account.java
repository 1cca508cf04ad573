package io.viaduct.billing.account;

import java.time.Instant;

/// A person who can log in and is billed. The password hash stays in the database.
///
/// @param id local user part of the SIP address, e.g. `alice`
/// @param displayName name for people; empty once the account is closed
/// @param role what the account may see
/// @param state what the account may do
/// @param sipSecret the secret that its devices register with
/// @param createdAt time when the account was opened
/// @param version number of its changes, from 1
public record Account(
    String id,
    String displayName,
    Role role,
    AccountState state,
    SipSecret sipSecret,
    Instant createdAt,
    long version) {
  /// Pattern of a valid id.
  public static final String ID_PATTERN = "[A-Za-z0-9._-]{1,64}";
}
