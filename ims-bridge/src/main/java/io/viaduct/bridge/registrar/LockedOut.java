package io.viaduct.bridge.registrar;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Ends the contacts of users who are suspended or gone. It looks only at users whose account or
/// contacts have changed: a REGISTER may be answered after the account was suspended, and contacts
/// of another bridge may come before the directory of users.
public final class LockedOut {
  private final Subscribers subscribers;
  private final LocationService locations;
  private final Set<String> changed = ConcurrentHashMap.newKeySet();

  LockedOut(Subscribers subscribers, LocationService locations) {
    this.subscribers = subscribers;
    this.locations = locations;
    subscribers.onChange(change -> changed.add(change.user()));
    locations.watch(changed::add);
  }

  /// Looks at the users who have changed, once their directory is complete: before, each of them
  /// would look unknown.
  public void onClock() {
    if (!subscribers.isLoaded()) {
      return;
    }
    for (Iterator<String> users = changed.iterator(); users.hasNext(); ) {
      String user = users.next();
      users.remove(); // first: a change from now on is another one
      if (!subscribers.isActive(user)) {
        locations.end(user);
      }
    }
  }
}
