package io.viaduct.bridge.registrar;

import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TokenBuckets;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;

/// Limits password guesses: per digest username and source, and per source over all usernames.
/// There is no limit per username alone, because then an attacker could lock a user out. Both
/// budgets are charged before the password is checked, so parallel attempts never exceed them. A
/// correct password is not charged. Thread-safe.
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

  /// Charges both budgets for one attempt.
  ///
  /// @return false if a budget is used up; then the password must not be checked
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

  /// Gives the attempt back after a correct password, and forgets the user's earlier failures from
  /// this source.
  void succeeded(String user, InetAddress address) {
    SourceNetwork source = SourceNetwork.of(address);
    byPair.fill(new Pair(user, source));
    bySource.giveBack(source);
  }
}
