package io.viaduct.bridge.token;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Subscriptions by dialog and by device. Guarded by the lock of [SessionNotifier].
final class Dialogs {
  /// Most subscriptions of one device: the one in use, and one left over from before a restart. So
  /// an account has at most twice `devices-max` subscriptions.
  static final int OF_DEVICE_MAX = 2;

  private record Device(String user, ByteBuffer key) {
    static Device of(Subscription subscription) {
      return new Device(subscription.user(), ByteBuffer.wrap(subscription.deviceKey()));
    }
  }

  private final Map<Subscription.Key, Subscription> byKey = new HashMap<>();
  private final Map<Device, Deque<Subscription.Key>> byDevice = new HashMap<>();

  int size() {
    return byKey.size();
  }

  List<Subscription.Key> keys() {
    return List.copyOf(byKey.keySet());
  }

  @Nullable Subscription get(Subscription.Key key) {
    return byKey.get(key);
  }

  void put(Subscription subscription) {
    Subscription old = byKey.put(subscription.key(), subscription);
    if (old != null && Device.of(old).equals(Device.of(subscription))) {
      return;
    }
    if (old != null) {
      forget(old);
    }
    byDevice
        .computeIfAbsent(Device.of(subscription), _ -> new ArrayDeque<>(OF_DEVICE_MAX))
        .addLast(subscription.key());
  }

  void remove(Subscription.Key key) {
    Subscription old = byKey.remove(key);
    if (old != null) {
      forget(old);
    }
  }

  private void forget(Subscription old) {
    byDevice.computeIfPresent(
        Device.of(old),
        (_, keys) -> {
          keys.remove(old.key());
          return keys.isEmpty() ? null : keys;
        });
  }

  /// Returns the oldest subscription of the same device, if the device has more than
  /// [#OF_DEVICE_MAX].
  Optional<Subscription> surplus(Subscription newest) {
    Deque<Subscription.Key> keys = byDevice.get(Device.of(newest));
    return keys == null || keys.size() <= OF_DEVICE_MAX
        ? Optional.empty()
        : Optional.ofNullable(byKey.get(keys.getFirst()));
  }
}
