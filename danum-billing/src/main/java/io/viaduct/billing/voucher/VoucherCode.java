package io.viaduct.billing.voucher;

import io.viaduct.service.digest.Sha256;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.Optional;

/// The secret of a voucher: 100 random bits in Crockford's base 32, four groups of five characters
/// such as `7KQ2M-0XW9T-H3B4C-N8PRD`. Whoever knows it has the money.
///
/// @param text the 20 characters without hyphens, in upper case
public record VoucherCode(String text) {
  private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  private static final int LENGTH = 20;
  private static final int GROUP = 5;

  /// Draws a code.
  static VoucherCode draw(SecureRandom random) {
    StringBuilder text = new StringBuilder(LENGTH);
    for (int i = 0; i < LENGTH; i++) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return new VoucherCode(text.toString());
  }

  /// Reads a code as people type it: in any case, with blanks or hyphens, O for 0, I or L for 1.
  ///
  /// @return empty if it can be no code
  public static Optional<VoucherCode> parse(String typed) {
    String text =
        typed
            .toUpperCase(Locale.ROOT)
            .replaceAll("[\\s-]", "")
            .replace('O', '0')
            .replaceAll("[IL]", "1");
    return text.length() == LENGTH && text.chars().allMatch(c -> ALPHABET.indexOf(c) >= 0)
        ? Optional.of(new VoucherCode(text))
        : Optional.empty();
  }

  /// Returns the code in groups, for people.
  public String printed() {
    return text.replaceAll("(.{" + GROUP + "})(?!$)", "$1-");
  }

  /// Returns the SHA-256 of the characters. With 100 random bits it needs neither salt nor delay.
  byte[] digest() {
    return Sha256.of(text);
  }

  /// Hides the code: it must not get into a log.
  @Override
  public String toString() {
    return "VoucherCode[]";
  }
}
