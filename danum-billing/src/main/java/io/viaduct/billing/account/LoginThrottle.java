package io.viaduct.billing.account;

import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TokenBuckets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/// Limits guesses of passwords. An attempt is taken from its budgets before its password is judged,
/// so that parallel attempts never exceed them; a right password gives it back.
///
/// | attempt | budget | beyond it |
/// |---|---|---|
/// | of a known browser | of this browser and name | waits for its turn |
/// | of any other, by source and name | of this source and name | refused |
/// | of any other, by source | of this source, all names | refused |
/// | of any other, by name | of this name, all sources | waits for its turn |
///
/// Somebody else's wrong passwords therefore never lock a user out. Only an attempt whose turn
/// would come later than [#WAIT_MAX] is refused although it has a budget of its own. Any thread may
/// call.
public final class LoginThrottle {
  /// An attempt waits no longer for its turn.
  public static final Duration WAIT_MAX = Duration.ofSeconds(20);

  /// Attempts that wait at a time, in all; each is a request that is held open.
  static final int WAITING_MAX = 512;

  private static final int NAMES_MAX = 10_000;
  private static final int PAIRS_MAX = 50_000;

  /// The budgets.
  ///
  /// @param perPair wrong passwords for one name from one source, and of one known browser
  /// @param pairPause then one more after this time from the source
  /// @param browserPause then one more after this time from the known browser
  /// @param perSource wrong passwords from one source within a minute
  /// @param perName wrong passwords for one name from all sources
  /// @param namePause then one more after this time
  public record Budgets(
      int perPair,
      Duration pairPause,
      Duration browserPause,
      int perSource,
      int perName,
      Duration namePause) {}

  /// Who tries to log in.
  ///
  /// @param name as given, whether there is such an account or not
  /// @param browser id of a known browser of this name
  public record Attempt(String name, SourceNetwork source, Optional<String> browser) {}

  /// Lets time pass.
  @FunctionalInterface
  public interface Pause {
    void of(Duration time) throws InterruptedException;
  }

  private record Pair(String name, Object from) {}

  private final TokenBuckets<Pair> ofPair;
  private final TokenBuckets<Pair> ofBrowser;
  private final TokenBuckets<SourceNetwork> ofSource;
  private final TokenBuckets<String> ofName;
  private final Semaphore waiting = new Semaphore(WAITING_MAX);
  private final Pause pause;

  public LoginThrottle(Budgets budgets, InstantSource clock, Pause pause) {
    this.pause = pause;
    ofPair = new TokenBuckets<>(budgets.perPair(), budgets.pairPause(), PAIRS_MAX, clock);
    ofBrowser = new TokenBuckets<>(budgets.perPair(), budgets.browserPause(), PAIRS_MAX, clock);
    ofSource =
        new TokenBuckets<>(
            budgets.perSource(),
            Duration.ofMinutes(1).dividedBy(budgets.perSource()),
            NAMES_MAX,
            clock);
    ofName = new TokenBuckets<>(budgets.perName(), budgets.namePause(), NAMES_MAX, clock);
  }

  /// Takes an attempt and waits for its turn.
  ///
  /// @return empty if its password may be judged now, else how long to stay away
  /// @throws InterruptedException if the wait was interrupted: the password must not be judged
  public Optional<Duration> admit(Attempt attempt) throws InterruptedException {
    if (attempt.browser().isPresent()) {
      return await(ofBrowser.takeNext(browser(attempt), WAIT_MAX));
    }
    if (!ofPair.take(pair(attempt))) {
      return Optional.of(ofPair.untilNext(pair(attempt)));
    }
    if (!ofSource.take(attempt.source())) {
      ofPair.giveBack(pair(attempt));
      return Optional.of(ofSource.untilNext(attempt.source()));
    }
    Optional<Duration> refusal = await(ofName.takeNext(attempt.name(), WAIT_MAX));
    if (refusal.isPresent()) {
      ofPair.giveBack(pair(attempt));
      ofSource.giveBack(attempt.source());
    }
    return refusal;
  }

  private Optional<Duration> await(Duration turn) throws InterruptedException {
    if (turn.isZero()) {
      return Optional.empty();
    }
    if (turn.isNegative() || !waiting.tryAcquire()) {
      return Optional.of(WAIT_MAX);
    }
    try {
      pause.of(turn);
      return Optional.empty();
    } finally {
      waiting.release();
    }
  }

  /// Gives an admitted attempt back: its password was right. Earlier mistakes of the same source or
  /// browser are forgotten.
  public void right(Attempt attempt) {
    if (attempt.browser().isPresent()) {
      ofBrowser.fill(browser(attempt));
    } else {
      ofPair.fill(pair(attempt));
      ofSource.giveBack(attempt.source());
      ofName.giveBack(attempt.name());
    }
  }

  private static Pair pair(Attempt attempt) {
    return new Pair(attempt.name(), attempt.source());
  }

  private static Pair browser(Attempt attempt) {
    return new Pair(attempt.name(), attempt.browser().orElseThrow());
  }
}
