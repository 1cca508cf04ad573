package io.viaduct.billing.account;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Closes an account for a while after too many wrong passwords in a row. It remembers names that
/// were tried, whether they exist or not, and forgets the oldest beyond a limit. Any thread may
/// call.
public final class LoginThrottle {
  /// Names remembered: a guesser over many names cannot fill the memory.
  static final int NAMES_MAX = 10_000;

  private record Failures(int count, Instant until) {}

  private final int wrongMax;
  private final Duration closed;
  private final Map<String, Failures> failures =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
          return size() > NAMES_MAX;
        }
      };

  /// @param wrongMax wrong passwords in a row that are answered
  /// @param closed how long the account is refused after them
  public LoginThrottle(int wrongMax, Duration closed) {
    this.wrongMax = wrongMax;
    this.closed = closed;
  }

  /// How long a name is still refused; empty if it may try.
  public synchronized Optional<Duration> refusedFor(String name, Instant now) {
    Failures known = failures.get(name);
    return known != null && known.count() >= wrongMax && now.isBefore(known.until())
        ? Optional.of(Duration.between(now, known.until()))
        : Optional.empty();
  }

  /// Counts a wrong password. Failures older than the closing time are forgotten.
  public synchronized void wrong(String name, Instant now) {
    Failures known = failures.remove(name);
    int before = known == null || now.isAfter(known.until()) ? 0 : known.count();
    failures.put(name, new Failures(before + 1, now.plus(closed)));
  }

  /// Forgets a name that gave the right password.
  public synchronized void right(String name) {
    failures.remove(name);
  }
}
