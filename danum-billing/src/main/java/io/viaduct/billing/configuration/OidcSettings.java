package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.require;

import java.util.List;
import java.util.Map;

/// An OpenID Connect provider whose ID tokens the pages bring.
///
/// @param issuer its URL, as its tokens have it; empty for none
/// @param clientId client that tokens must be for: the pages
/// @param accountClaim claim with the name of an account that is made
/// @param create true if a log-in makes a missing account
/// @param roleClaim claim with the role, or a path such as `realm_access.roles`; empty if the
///   provider says nothing about roles
/// @param roles role by the value of that claim
public record OidcSettings(
    String issuer,
    String clientId,
    String accountClaim,
    boolean create,
    String roleClaim,
    Map<String, String> roles) {
  public OidcSettings {
    require(
        issuer.isEmpty()
            || issuer.matches(
                "(https://|http://(127\\.0\\.0\\.1|localhost)[:/])[\\x21-\\x7e&&[^?#]]{1,1000}"),
        "issuer must be https://… without query and fragment, or empty",
        issuer);
    require(
        issuer.isEmpty() || !clientId.isEmpty(),
        "client-id must be given with the issuer",
        clientId);
    require(
        accountClaim.matches("[A-Za-z0-9_.:/-]{1,128}"),
        "account-claim must be the name of a claim",
        accountClaim);
    roles = Map.copyOf(roles);
    roles.forEach((value, role) ->
        require(
            List.of("user", "operator", "auditor", "snapt-owner").contains(role),
            "roles must map values of the claim to user, operator, auditor or snapt-owner",
            value + ": " + role));
  }
}
