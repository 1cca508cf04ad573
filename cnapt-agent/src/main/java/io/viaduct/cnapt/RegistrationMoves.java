package io.viaduct.cnapt;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Renews the registration after a change of network, when the device has kept its new address for
/// two seconds. A link that flaps causes one renewal or none, because the bridge's binding stays
/// valid for the address that it came from. Owner: the data path's event loop.
final class RegistrationMoves {
  static final long STEADY_MS = 2_000;

  private final ScheduledExecutorService loop;
  private final Runnable renewal;
  private String registered = "";
  private @Nullable ScheduledFuture<?> pending;

  /// @param loop runs the renewal
  RegistrationMoves(ScheduledExecutorService loop, Runnable renewal) {
    this.loop = loop;
    this.renewal = renewal;
  }

  /// Takes a change of the local address.
  ///
  /// @param from address before the change, with which the device has registered unless it moved
  ///   earlier
  /// @param to address now
  void moved(String from, String to) {
    if (registered.isEmpty()) {
      registered = from;
    }
    ScheduledFuture<?> before = pending;
    if (before != null) {
      before.cancel(false);
    }
    pending =
        to.equals(registered)
            ? null
            : loop.schedule(() -> renew(to), STEADY_MS, TimeUnit.MILLISECONDS);
  }

  private void renew(String at) {
    pending = null;
    registered = at;
    renewal.run();
  }
}
