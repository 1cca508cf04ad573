package io.viaduct.billing.account;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PasswordsTest {
  /// Version and number of rounds, such as `$2a$10$`, decide how long a comparison takes.
  private static final int COST_LENGTH = 7;

  @Test
  void anUnknownAccountTakesAsLongAsAKnownOne() {
    String hash = new Passwords().hash("a good password");

    assertThat(Passwords.DUMMY_HASH).startsWith(hash.substring(0, COST_LENGTH)).hasSameSizeAs(hash);
  }

  @Test
  void aHashMatchesItsPasswordOnly() {
    Passwords passwords = new Passwords();
    String hash = passwords.hash("a good password");

    assertThat(passwords.matches("a good password", hash)).isTrue();
    assertThat(passwords.matches("a good passwort", hash)).isFalse();
  }
}
