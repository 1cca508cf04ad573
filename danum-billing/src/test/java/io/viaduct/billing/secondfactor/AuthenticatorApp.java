package io.viaduct.billing.secondfactor;

import java.net.URI;
import java.time.Instant;
import java.util.Arrays;

/// An authenticator app: it reads the address of a QR code and shows codes. Base32 is decoded here
/// by arithmetic of its own.
public final class AuthenticatorApp {
  private final byte[] secret;

  private AuthenticatorApp(byte[] secret) {
    this.secret = secret;
  }

  public static AuthenticatorApp of(String uri) {
    String text =
        Arrays.stream(URI.create(uri).getQuery().split("&"))
            .filter(parameter -> parameter.startsWith("secret="))
            .findFirst()
            .orElseThrow()
            .substring("secret=".length());
    byte[] secret = new byte[text.length() * 5 / 8];
    for (int bit = 0; bit < secret.length * 8; bit++) {
      int value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(text.charAt(bit / 5));
      if ((value >> (4 - bit % 5) & 1) == 1) {
        secret[bit / 8] |= (byte) (0x80 >> bit % 8);
      }
    }
    return new AuthenticatorApp(secret);
  }

  public String code(Instant now) {
    return Totp.code(secret, Totp.step(now));
  }
}
