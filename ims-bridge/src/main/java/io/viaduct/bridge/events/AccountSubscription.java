package io.viaduct.bridge.events;

import io.viaduct.bridge.subscription.Subscription;
import io.viaduct.bridge.subscription.SubscriptionDialog;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A user's subscription to the own account. Immutable; [EventNotifier] replaces it at each change.
///
/// @param trigger as last seen; null if a SUBSCRIBE still waits for its NOTIFY
/// @param lookAt time at which the trigger changes by itself; [Instant#EPOCH] if a SUBSCRIBE still
///   waits for its NOTIFY
/// @param told state of the last NOTIFY; null if a SUBSCRIBE still waits for its NOTIFY
record AccountSubscription(
    SubscriptionDialog dialog,
    EventPackage<?> events,
    @Nullable Object trigger,
    Instant lookAt,
    @Nullable Object told)
    implements Subscription<AccountSubscription> {
  String user() {
    return dialog.user();
  }

  @Override
  public AccountSubscription with(SubscriptionDialog next) {
    return new AccountSubscription(next, events, trigger, lookAt, told);
  }

  /// Returns the first subscription of a dialog, whose NOTIFY is due.
  static AccountSubscription open(SubscriptionDialog dialog, EventPackage<?> events) {
    return new AccountSubscription(dialog, events, null, Instant.EPOCH, null);
  }

  @Override
  public Instant dueAt() {
    return lookAt.isBefore(dialog.expires()) ? lookAt : dialog.expires();
  }

  @Override
  public AccountSubscription due() {
    return open(dialog, events);
  }

  /// Returns the subscription after its state was asked for.
  ///
  /// @param next time at which the trigger changes by itself
  AccountSubscription looked(Object seen, Instant next) {
    return new AccountSubscription(dialog, events, seen, next, told);
  }

  /// Returns the subscription after its next NOTIFY.
  AccountSubscription notified(@Nullable Object state) {
    return new AccountSubscription(dialog.notified(), events, trigger, lookAt, state);
  }
}
