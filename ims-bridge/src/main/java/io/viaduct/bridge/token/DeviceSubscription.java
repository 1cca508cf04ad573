package io.viaduct.bridge.token;

import io.viaduct.bridge.directory.Relay;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.bridge.subscription.Subscription;
import io.viaduct.bridge.subscription.SubscriptionDialog;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;

/// A device's subscription to its session. Immutable; [SessionNotifier] replaces it at each change.
///
/// @param sid names the session in its tokens
/// @param icid charging identifier of the session
/// @param renewAt when the subscriber's token should be replaced; [Instant#EPOCH] if a SUBSCRIBE
///   still waits for its NOTIFY
/// @param relays SNAPTs of the last NOTIFY
/// @param credit state of the account's credit in the last NOTIFY
record DeviceSubscription(
    SubscriptionDialog dialog,
    byte[] deviceKey,
    String sid,
    String icid,
    Instant renewAt,
    List<Relay> relays,
    CreditState credit)
    implements Subscription<DeviceSubscription> {
  /// A device of a user.
  record Device(String user, ByteBuffer key) {}

  String user() {
    return dialog.user();
  }

  Device device() {
    return new Device(user(), ByteBuffer.wrap(deviceKey));
  }

  @Override
  public DeviceSubscription with(SubscriptionDialog next) {
    return new DeviceSubscription(next, deviceKey, sid, icid, renewAt, relays, credit);
  }

  @Override
  public Instant dueAt() {
    return renewAt.isBefore(dialog.expires()) ? renewAt : dialog.expires();
  }

  @Override
  public DeviceSubscription due() {
    return new DeviceSubscription(dialog, deviceKey, sid, icid, Instant.EPOCH, relays, credit);
  }

  /// Returns the subscription after another SUBSCRIBE, whose NOTIFY is due.
  DeviceSubscription refreshed(SubscriptionDialog next, byte[] nextKey) {
    return new DeviceSubscription(next, nextKey, sid, icid, Instant.EPOCH, relays, credit);
  }

  /// Returns the subscription after its next NOTIFY.
  DeviceSubscription notified(Instant nextRenewal, List<Relay> sent, CreditState told) {
    return new DeviceSubscription(dialog.notified(), deviceKey, sid, icid, nextRenewal, sent, told);
  }
}
