package io.viaduct.bridge.subscription;

/// A subscription: its dialog, and what its event package keeps. Immutable.
///
/// @param <S> the type itself
public interface Subscription<S extends Subscription<S>> {
  SubscriptionDialog dialog();

  /// Returns the subscription with another state of its dialog.
  S with(SubscriptionDialog next);

  /// Returns the subscription with a NOTIFY that is due at once.
  S due();
}
