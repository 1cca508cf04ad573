package io.viaduct.billing.account;

import java.security.SecureRandom;
import java.util.Base64;

/// Makes tokens that stand for a right: 256 random bits as base64url, 43 characters. Billing keeps
/// only the digest of one.
public final class SecretToken {
  private static final int BYTES = 32;

  private SecretToken() {}

  /// Returns a new token.
  public static String draw(SecureRandom random) {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
