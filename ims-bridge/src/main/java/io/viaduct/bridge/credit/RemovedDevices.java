package io.viaduct.bridge.credit;

import io.viaduct.bridge.registrar.Subscribers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/// Finds the sessions of devices that were removed from their account. A token outlives the removal
/// of its device by minutes; its session gets no credit in that time. Thread-safe.
final class RemovedDevices {
  /// Time until a removal counts. A change that billing has read before it accepted a device may
  /// arrive after the bridge has heard of the device.
  private static final Duration SETTLED = Duration.ofMillis(500);

  /// Time in which a device must be in the directory that another bridge has let in.
  private static final Duration LET_IN = Duration.ofSeconds(5);

  private final Subscribers subscribers;
  private final BooleanSupplier isCurrent;
  private final Map<String, Instant> changed = new HashMap<>(); // guarded by this

  /// @param isCurrent whether billing sends each change of the directory now
  RemovedDevices(Subscribers subscribers, BooleanSupplier isCurrent) {
    this.subscribers = subscribers;
    this.isCurrent = isCurrent;
  }

  /// A session that has shown its token.
  ///
  /// @param deviceKey the token's key
  /// @param since time of its first request
  /// @param wasKnown whether the device was in the directory since
  record Shown(String account, byte[] deviceKey, Instant since, boolean wasKnown) {}

  /// Notes that a user has lost a device.
  synchronized void lost(String user, Instant now) {
    changed.put(user, now.plus(SETTLED));
  }

  /// Returns the users whose sessions are to be looked at now.
  synchronized List<String> due(Instant now) {
    if (changed.isEmpty()) {
      return List.of();
    }
    List<String> due = new ArrayList<>();
    changed.forEach((user, at) -> {
      if (!at.isAfter(now)) {
        due.add(user);
      }
    });
    due.forEach(changed::remove);
    return due;
  }

  /// Returns the session with what the directory says now.
  Shown look(Shown session) {
    return session.wasKnown() || !isKnown(session)
        ? session
        : new Shown(session.account(), session.deviceKey(), session.since(), true);
  }

  /// Returns true if the device of a session was removed. While billing is away, a device that was
  /// never known here may be a new one.
  boolean isRemoved(Shown session, Instant now) {
    return subscribers.isLoaded()
        && !isKnown(session)
        && (session.wasKnown()
            || isCurrent.getAsBoolean() && now.isAfter(session.since().plus(LET_IN)));
  }

  private boolean isKnown(Shown session) {
    return subscribers.hasDevice(session.account(), session.deviceKey());
  }
}
