package io.viaduct.testbed.deployment;

import java.security.SecureRandom;
import java.util.Base64;

/// Secrets of one run.
///
/// @param alice password of the device's user, for SIP and for the page
/// @param bob password of the user whom alice writes to
/// @param operator password of the operator, at billing
/// @param rest bearer token of the bridge's REST interface
public record Passwords(String alice, String bob, String operator, String rest) {
  public static Passwords draw(SecureRandom random) {
    return new Passwords(word(random), word(random), word(random), word(random));
  }

  private static String word(SecureRandom random) {
    byte[] bytes = new byte[12];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  @Override
  public String toString() {
    return "Passwords[...]";
  }
}
