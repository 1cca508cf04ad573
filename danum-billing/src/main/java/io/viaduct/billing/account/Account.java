package io.viaduct.billing.account;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

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

  /// User parts of the SIP addresses of the bridge's own services: an account of this name would
  /// get the questions of all users.
  public static final List<String> SERVICES = List.of("balance", "help", "report");

  /// Returns whether a name is that of a service.
  public static boolean isOfService(String name) {
    return SERVICES.contains(name.toLowerCase(Locale.ROOT));
  }

  /// Returns why a new account may not have a name; empty if it may.
  public static Optional<String> flaw(String name) {
    if (!name.matches(ID_PATTERN)) {
      return Optional.of("must match " + ID_PATTERN);
    }
    return isOfService(name)
        ? Optional.of("must be another one: '" + name + "' is the SIP address of a service")
        : Optional.empty();
  }
}
