package io.viaduct.billing.account;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

/// Hashes passwords with Argon2id (RFC 9106). Each hash needs [#MEMORY_KIB] of memory, also for
/// somebody who has stolen the database. Hashes of earlier versions (bcrypt) still match.
///
/// At most a given number of hashes is computed at the same time, so that many log-ins cannot
/// exhaust the heap. Thread-safe.
public final class Passwords {
  /// Memory, passes and lanes of OWASP's Password Storage Cheat Sheet: 19 MiB, 2, 1.
  static final int MEMORY_KIB = 19 * 1024;

  private static final int PASSES = 2;
  private static final int LANES = 1;
  private static final int SALT_BYTES = 16;
  private static final int HASH_BYTES = 32;

  /// Longest wait for one's turn. A hash takes some 50 ms.
  static final Duration WAIT_MAX = Duration.ofSeconds(5);

  /// Most threads that wait for their turn.
  static final int WAITING_MAX = 64;

  /// Longest password, in bytes of UTF-8. The hashes of earlier versions ignore further bytes.
  public static final int BYTES_MAX = 72;

  public static final int LENGTH_MIN = 8;

  private static final String BCRYPT = "$2";

  /// The hash of a random text, with the parameters above. It is compared when the account does not
  /// exist, so that the answer takes equally long.
  static final String DUMMY_HASH =
      "$argon2id$v=19$m=19456,t=2,p=1$c2FsdCBvZiBub2JvZHkhIQ$QTsIxGsCiwNjA4tJHVdEjKuHxPZoUVgwpGyFjDYzwAk";

  /// The rule for passwords, as people read it.
  public static final String RULE =
      "must have at least %d characters and at most %d bytes, no control character, and no blank at either end"
          .formatted(LENGTH_MIN, BYTES_MAX);

  private final Argon2PasswordEncoder argon2 =
      new Argon2PasswordEncoder(SALT_BYTES, HASH_BYTES, LANES, MEMORY_KIB, PASSES);
  private final BCryptPasswordEncoder bcrypt = new BCryptPasswordEncoder();
  private final Semaphore turns;

  /// Passwords with a limit of memory.
  ///
  /// @param atOnce most hashes that are computed at the same time; each takes [#MEMORY_KIB]
  public Passwords(int atOnce) {
    turns = new Semaphore(atOnce, true);
  }

  /// Too many passwords are being checked. Nothing was checked or changed.
  public static final class BusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BusyException() {
      super("too many passwords are being checked", null, false, false);
    }
  }

  /// Returns true if a text obeys [#RULE]. Blanks at the ends and control characters are refused
  /// because a password file could not hold them: it is one line, read without the blanks at its
  /// ends.
  public static boolean isAcceptable(String password) {
    return password.codePointCount(0, password.length()) >= LENGTH_MIN
        && password.getBytes(StandardCharsets.UTF_8).length <= BYTES_MAX
        && password.equals(password.strip())
        && password.codePoints().noneMatch(Character::isISOControl);
  }

  String hash(String password) {
    if (!isAcceptable(password)) {
      throw new IllegalArgumentException("a password " + RULE);
    }
    return inTurn(() -> Objects.requireNonNull(argon2.encode(password)));
  }

  boolean matches(String password, String hash) {
    return password.getBytes(StandardCharsets.UTF_8).length <= BYTES_MAX
        && inTurn(() ->
            hash.startsWith(BCRYPT)
                ? bcrypt.matches(password, hash)
                : argon2.matches(password, hash));
  }

  void matchDummy(String password) {
    matches(password, DUMMY_HASH);
  }

  /// Returns true if a hash was made with another function or with weaker parameters.
  boolean isOutdated(String hash) {
    return hash.startsWith(BCRYPT) || argon2.upgradeEncoding(hash);
  }

  private <T> T inTurn(Supplier<T> hashing) {
    takeTurn();
    try {
      return hashing.get();
    } finally {
      turns.release();
    }
  }

  private void takeTurn() {
    try {
      if (turns.getQueueLength() >= WAITING_MAX
          || !turns.tryAcquire(WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new BusyException();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // billing is stopping
      throw new BusyException();
    }
  }
}
