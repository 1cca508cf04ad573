package io.viaduct.billing.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

class PasswordsTest {
  /// Function, version and costs, which decide how long a comparison takes.
  private static final String COSTS = "$argon2id$v=19$m=19456,t=2,p=1$";

  private final Passwords passwords = new Passwords(2);

  @Test
  void anUnknownAccountTakesAsLongAsAKnownOne() {
    String hash = passwords.hash("a good password");

    assertThat(hash).startsWith(COSTS);
    assertThat(Passwords.DUMMY_HASH).startsWith(COSTS).hasSameSizeAs(hash);
    assertThat(passwords.isOutdated(Passwords.DUMMY_HASH)).isFalse();
    passwords.matchDummy("a good password"); // it is a hash that can be compared
  }

  @Test
  void aHashMatchesItsPasswordOnly() {
    String hash = passwords.hash("a good password");

    assertThat(passwords.matches("a good password", hash)).isTrue();
    assertThat(passwords.matches("a good passwort", hash)).isFalse();
  }

  @Test
  void aHashOfAnEarlierVersionMatchesAndIsOutdated() {
    String hash = new BCryptPasswordEncoder(4).encode("a good password");

    assertThat(passwords.matches("a good password", hash)).isTrue();
    assertThat(passwords.matches("a good passwort", hash)).isFalse();
    assertThat(passwords.isOutdated(hash)).isTrue();
    assertThat(passwords.isOutdated(passwords.hash("a good password"))).isFalse();
  }

  @Test
  void moreHashesThanMayWaitAreRefused() throws Exception {
    Passwords one = new Passwords(1);
    List<Future<Boolean>> checks = new ArrayList<>();
    int refused = 0;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 4 * Passwords.WAITING_MAX; i++) {
        checks.add(threads.submit(() -> refuses(one)));
      }
      for (Future<Boolean> check : checks) {
        refused += check.get() ? 1 : 0;
      }
    }
    assertThat(refused).isPositive().isLessThan(checks.size());
    assertThat(refuses(one)).as("afterwards").isFalse();
  }

  private static boolean refuses(Passwords passwords) {
    try {
      passwords.matchDummy("a good password");
      return false;
    } catch (Passwords.BusyException _) {
      return true;
    }
  }
}
