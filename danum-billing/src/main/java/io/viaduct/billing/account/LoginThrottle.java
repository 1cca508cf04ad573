package io.viaduct.billing.account;

import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TokenBuckets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/// Limits password guessing. An attempt is taken from its budgets before its password is checked,
/// so that parallel attempts cannot exceed them. A right password gives the attempt back.
///
/// | attempt | budget | when the budget is empty |
/// |---|---|---|
/// | from a known browser | of this browser and name | the attempt waits for its turn |
/// | from elsewhere, by source and name | of this source and name | the attempt is refused |
/// | from elsewhere, by source | of this source, all names | the attempt is refused |
/// | from elsewhere, by name | of this name, all sources | the attempt waits for its turn |
///
/// Another person's wrong passwords therefore never lock a user out. An attempt is also refused if
/// its turn would come later than [#WAIT_MAX]. Thread-safe.
public final class LoginThrottle {
  /// Longest wait of an attempt for its turn.
  public static final Duration WAIT_MAX = Duration.ofSeconds(20);

  /// Most attempts that wait at the same time. Each holds one HTTP request open.
  static final int WAITING_MAX = 512;

  private static final int NAMES_MAX = 10_000;
  private static final int PAIRS_MAX = 50_000;

  /// The budgets: numbers of wrong passwords, and the pauses after them.
  ///
  /// @param perPair wrong passwords for one name from one source, and from one known browser
  /// @param pairPause pause between further attempts from that source
  /// @param browserPause pause between further attempts from that known browser
  /// @param perSource wrong passwords from one source within a minute
  /// @param perName wrong passwords for one name from all sources
  /// @param namePause pause between further attempts for that name
  public record Budgets(
      int perPair,
      Duration pairPause,
      Duration browserPause,
      int perSource,
      int perName,
      Duration namePause) {}

  /// One attempt to log in.
  ///
  /// @param name account name as typed; the account may not exist
  /// @param browser id of a browser that is known for this name
  public record Attempt(String name, SourceNetwork source, Optional<String> browser) {}

  /// Waits for a time; tests replace it.
  @FunctionalInterface
  public interface Pause {
    void sleep(Duration time) throws InterruptedException;
  }

  private record Pair(String name, Object from) {}

  private final TokenBuckets<Pair> pairBuckets;
  private final TokenBuckets<Pair> browserBuckets;
  private final TokenBuckets<SourceNetwork> sourceBuckets;
  private final TokenBuckets<String> nameBuckets;
  private final Semaphore waiting = new Semaphore(WAITING_MAX);
  private final Pause pause;

  public LoginThrottle(Budgets budgets, InstantSource clock, Pause pause) {
    this.pause = pause;
    pairBuckets = new TokenBuckets<>(budgets.perPair(), budgets.pairPause(), PAIRS_MAX, clock);
    browserBuckets =
        new TokenBuckets<>(budgets.perPair(), budgets.browserPause(), PAIRS_MAX, clock);
    sourceBuckets =
        new TokenBuckets<>(
            budgets.perSource(),
            Duration.ofMinutes(1).dividedBy(budgets.perSource()),
            NAMES_MAX,
            clock);
    nameBuckets = new TokenBuckets<>(budgets.perName(), budgets.namePause(), NAMES_MAX, clock);
  }

  /// Takes an attempt from its budgets and waits for its turn.
  ///
  /// @return empty if the password may be checked now, else the time after which to try again
  /// @throws InterruptedException if the wait was interrupted; the password must not be checked
  ///   then
  public Optional<Duration> admit(Attempt attempt) throws InterruptedException {
    if (attempt.browser().isPresent()) {
      return awaitTurn(browserBuckets.takeNext(browser(attempt), WAIT_MAX));
    }
    if (!pairBuckets.take(pair(attempt))) {
      return Optional.of(pairBuckets.untilNext(pair(attempt)));
    }
    if (!sourceBuckets.take(attempt.source())) {
      pairBuckets.giveBack(pair(attempt));
      return Optional.of(sourceBuckets.untilNext(attempt.source()));
    }
    Optional<Duration> refusal = awaitTurn(nameBuckets.takeNext(attempt.name(), WAIT_MAX));
    if (refusal.isPresent()) {
      pairBuckets.giveBack(pair(attempt));
      sourceBuckets.giveBack(attempt.source());
    }
    return refusal;
  }

  private Optional<Duration> awaitTurn(Duration turn) throws InterruptedException {
    if (turn.isZero()) {
      return Optional.empty();
    }
    if (turn.isNegative() || !waiting.tryAcquire()) {
      return Optional.of(WAIT_MAX);
    }
    try {
      pause.sleep(turn);
      return Optional.empty();
    } finally {
      waiting.release();
    }
  }

  /// Gives an admitted attempt back because its password was right. Also refills the budget of its
  /// source and name, or of its known browser.
  public void passwordWasRight(Attempt attempt) {
    if (attempt.browser().isPresent()) {
      browserBuckets.fill(browser(attempt));
    } else {
      pairBuckets.fill(pair(attempt));
      sourceBuckets.giveBack(attempt.source());
      nameBuckets.giveBack(attempt.name());
    }
  }

  private static Pair pair(Attempt attempt) {
    return new Pair(attempt.name(), attempt.source());
  }

  private static Pair browser(Attempt attempt) {
    return new Pair(attempt.name(), attempt.browser().orElseThrow());
  }
}
