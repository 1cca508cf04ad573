package io.viaduct.bridge.registrar;

import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TokenBuckets;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;

/// Limits guesses of passwords: by digest username and source together, and by source over all
/// usernames. Never by username alone, so that a user cannot be locked out from elsewhere. An
/// attempt is taken from both budgets before its password is judged, so that parallel attempts
/// never exceed them; a right password gives it back. Thread-safe.
final class FailureThrottle {
  private static final Duration WINDOW = Duration.ofMinutes(1);
  private static final int PAIRS_MAX = 50_000;
  private static final int SOURCES_MAX = 10_000;

  private record Pair(String user, SourceNetwork source) {}

  private final TokenBuckets<Pair> byPair;
  private final TokenBuckets<SourceNetwork> bySource;

  /// @param perPair wrong passwords for one username from one source within a minute
  /// @param perSource wrong passwords from one source within a minute
  FailureThrottle(int perPair, int perSource, InstantSource clock) {
    byPair = new TokenBuckets<>(perPair, WINDOW.dividedBy(perPair), PAIRS_MAX, clock);
    bySource = new TokenBuckets<>(perSource, WINDOW.dividedBy(perSource), SOURCES_MAX, clock);
  }

  /// Takes an attempt.
  ///
  /// @return false if the password must not be judged
  boolean admits(String user, InetAddress address) {
    SourceNetwork source = SourceNetwork.of(address);
    if (!byPair.take(new Pair(user, source))) {
      return false;
    }
    if (!bySource.take(source)) {
      byPair.giveBack(new Pair(user, source));
      return false;
    }
    return true;
  }

  /// The password was right: earlier mistakes are forgotten.
  void succeeded(String user, InetAddress address) {
    SourceNetwork source = SourceNetwork.of(address);
    byPair.fill(new Pair(user, source));
    bySource.giveBack(source);
  }
}
