package io.viaduct.snapt.policy;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Offers a value to a receiver that may fail, again with each call until it has taken the value,
/// at most [#ATTEMPTS_MAX] times. A new value begins anew. One thread at a time.
final class Offer<T> {
  /// Most attempts for one value. A receiver that has failed so often will not heal by itself.
  static final int ATTEMPTS_MAX = 30;

  private final Predicate<T> receiver;
  private @Nullable T value;
  private int attemptsLeft;

  /// @param receiver returns whether it has taken the value
  Offer(Predicate<T> receiver) {
    this.receiver = receiver;
  }

  /// Offers a value, unless the receiver has it or has refused it too often.
  ///
  /// @return true if the receiver has just refused it for the last time
  boolean offer(T now) {
    if (!now.equals(value)) {
      value = now;
      attemptsLeft = ATTEMPTS_MAX;
    }
    if (attemptsLeft == 0) {
      return false;
    }
    boolean taken = receiver.test(now);
    attemptsLeft = taken ? 0 : attemptsLeft - 1;
    return !taken && attemptsLeft == 0;
  }
}
