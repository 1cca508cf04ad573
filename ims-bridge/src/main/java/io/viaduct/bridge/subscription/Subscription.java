package io.viaduct.bridge.subscription;

import java.time.Instant;

/// A subscription: its dialog, and what its event package keeps. Immutable.
///
/// @param <S> the type itself
public interface Subscription<S extends Subscription<S>> {
  SubscriptionDialog dialog();

  /// Returns the subscription with another state of its dialog.
  S with(SubscriptionDialog next);

  /// Returns when to look at the subscription, unless something happens to its user before.
  Instant dueAt();

  /// Returns the subscription with a NOTIFY that is due at once.
  S due();
}
