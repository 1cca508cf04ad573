package io.viaduct.billing.voucher;

import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TokenBuckets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/// Limits the guessing of codes: unknown codes of one account, and from one network for all
/// accounts. An attempt is taken before the code is looked up, so that parallel attempts cannot
/// exceed the limit; a code that exists gives it back.
public final class VoucherGuesses {
  /// Unknown codes of one account before it must wait: typing errors.
  static final int PER_ACCOUNT = 10;

  private static final Duration ACCOUNT_PAUSE = Duration.ofMinutes(1);

  /// Unknown codes from one network before it must wait.
  static final int PER_SOURCE = 30;

  private static final Duration SOURCE_PAUSE = Duration.ofSeconds(20);
  private static final int KEYS_MAX = 10_000;

  private final TokenBuckets<String> accounts;
  private final TokenBuckets<SourceNetwork> sources;

  public VoucherGuesses(InstantSource clock) {
    accounts = new TokenBuckets<>(PER_ACCOUNT, ACCOUNT_PAUSE, KEYS_MAX, clock);
    sources = new TokenBuckets<>(PER_SOURCE, SOURCE_PAUSE, KEYS_MAX, clock);
  }

  /// Takes an attempt.
  ///
  /// @return empty if the code may be looked up, else the time after which to try again
  public Optional<Duration> admit(String account, SourceNetwork source) {
    if (!accounts.take(account)) {
      return Optional.of(accounts.untilNext(account));
    }
    if (!sources.take(source)) {
      accounts.giveBack(account);
      return Optional.of(sources.untilNext(source));
    }
    return Optional.empty();
  }

  /// Gives an admitted attempt back, because its code exists.
  public void codeExists(String account, SourceNetwork source) {
    accounts.giveBack(account);
    sources.giveBack(source);
  }
}
