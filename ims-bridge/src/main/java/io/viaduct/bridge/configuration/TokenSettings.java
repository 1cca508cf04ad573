package io.viaduct.bridge.configuration;

import static io.viaduct.bridge.configuration.Rules.NAME;
import static io.viaduct.bridge.configuration.Rules.publicKey;
import static io.viaduct.bridge.configuration.Rules.require;

import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Duration;
import java.util.List;

/// Session tokens.
///
/// @param signingKey PKCS#8 PEM of an Ed25519 key; `ims-bridge keygen` writes one
/// @param acceptedKeys base64 of further raw public keys that SNAPTs accept: the former key while
///   its tokens are valid, and the next key before it signs
/// @param lifetime lifetime of a token; a new token is sent after 60 % of it
/// @param audience group of SNAPTs that accept the token
public record TokenSettings(
    Path signingKey, List<String> acceptedKeys, Duration lifetime, String audience) {
  private static final int ACCEPTED_KEYS_MAX = 8;

  public TokenSettings {
    acceptedKeys = List.copyOf(acceptedKeys);
    require(
        acceptedKeys.size() <= ACCEPTED_KEYS_MAX,
        "accepted-keys must be at most " + ACCEPTED_KEYS_MAX,
        acceptedKeys.size());
    acceptedKeys.forEach(key -> publicKey("accepted-keys", key));
    require(
        lifetime.toSeconds() >= 5 && lifetime.toHours() <= 24,
        "lifetime must be 5s..24h",
        lifetime);
    require(audience.matches(NAME), "audience must match " + NAME, audience);
  }

  public List<PublicKey> accepted() {
    return acceptedKeys.stream().map(key -> publicKey("accepted-keys", key)).toList();
  }
}
