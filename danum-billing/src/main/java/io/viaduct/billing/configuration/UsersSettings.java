package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.require;

import java.util.List;

/// Ways to log in beside the password.
///
/// @param totp `optional` or `required`: whether operators and auditors must have a second factor
/// @param oidc an OpenID Connect provider
public record UsersSettings(String totp, OidcSettings oidc) {
  private static final String REQUIRED = "required";

  public UsersSettings {
    require(
        List.of("optional", REQUIRED).contains(totp), "totp must be optional or required", totp);
  }

  /// Returns true if operators and auditors must have a second factor.
  public boolean requiresTotp() {
    return totp.equals(REQUIRED);
  }
}
