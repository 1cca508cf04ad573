package io.viaduct.bridge.events;

import io.viaduct.bridge.subscription.Subscription;
import io.viaduct.bridge.subscription.SubscriptionDialog;
import org.jspecify.annotations.Nullable;

/// A user's subscription to the own account. Immutable; [EventNotifier] replaces it at each change.
///
/// @param trigger as last seen; null if a SUBSCRIBE still waits for its NOTIFY
/// @param told state of the last NOTIFY; null if a SUBSCRIBE still waits for its NOTIFY
record AccountSubscription(
    SubscriptionDialog dialog,
    EventPackage<?> events,
    @Nullable Object trigger,
    @Nullable Object told)
    implements Subscription<AccountSubscription> {
  String user() {
    return dialog.user();
  }

  @Override
  public AccountSubscription with(SubscriptionDialog next) {
    return new AccountSubscription(next, events, trigger, told);
  }

  @Override
  public AccountSubscription due() {
    return new AccountSubscription(dialog, events, null, null);
  }

  /// Returns the subscription after its state was asked for.
  AccountSubscription looked(Object seen) {
    return new AccountSubscription(dialog, events, seen, told);
  }

  /// Returns the subscription after its next NOTIFY.
  AccountSubscription notified(@Nullable Object state) {
    return new AccountSubscription(dialog.notified(), events, trigger, state);
  }
}
