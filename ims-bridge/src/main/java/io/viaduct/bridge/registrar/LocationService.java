package io.viaduct.bridge.registrar;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// The bindings by user (RFC 3261 section 10). They are held in memory only; after a restart user
/// agents register again. Thread-safe.
public final class LocationService {
  /// The result of a change. A refused change leaves all bindings as they were.
  public enum Outcome {
    DONE,
    TOO_MANY_CONTACTS,
    TOO_MANY_BINDINGS,
    /// The same Call-ID with a CSeq that is not higher (RFC 3261 section 10.3 steps 6 and 7).
    OUT_OF_ORDER
  }

  private final int contactsMax;
  private final int bindingsMax;
  private final Map<String, List<Binding>> byUser = new HashMap<>();
  private int count;

  /// @param contactsMax most contacts of one user
  /// @param bindingsMax most bindings in all
  public LocationService(int contactsMax, int bindingsMax) {
    this.contactsMax = contactsMax;
    this.bindingsMax = bindingsMax;
  }

  /// Applies all contacts of one REGISTER, or none of them. A contact that expires now is removed.
  synchronized Outcome update(String user, List<Binding> changes, Instant now) {
    List<Binding> old = byUser.getOrDefault(user, List.of());
    List<Binding> live = old.stream().filter(binding -> binding.isLive(now)).toList();
    List<Binding> next = new ArrayList<>(live);
    for (Binding change : changes) {
      // If one REGISTER has two equal contacts, the second replaces the first; so only earlier
      // bindings are compared.
      for (Binding binding : live) {
        if (binding.isReplacedBy(change) && !binding.isBefore(change.callId(), change.cseq())) {
          return Outcome.OUT_OF_ORDER;
        }
      }
      next.removeIf(binding -> binding.isReplacedBy(change));
      if (change.isLive(now)) {
        next.add(change);
      }
    }
    if (next.size() > contactsMax) {
      return Outcome.TOO_MANY_CONTACTS;
    }
    if (count - old.size() + next.size() > bindingsMax) {
      return Outcome.TOO_MANY_BINDINGS;
    }
    put(user, old, next);
    return Outcome.DONE;
  }

  /// Removes all contacts of a user (`Contact: *`), or none of them. Those of the core stay: its
  /// S-CSCF ends them.
  ///
  /// @param callId Call-ID of the REGISTER
  synchronized Outcome removeAll(String user, String callId, long cseq, Instant now) {
    List<Binding> old = byUser.getOrDefault(user, List.of());
    if (old.stream()
        .filter(b -> b.core().isEmpty())
        .anyMatch(b -> b.isLive(now) && !b.isBefore(callId, cseq))) {
      return Outcome.OUT_OF_ORDER;
    }
    put(user, old, old.stream().filter(b -> b.core().isPresent()).toList());
    return Outcome.DONE;
  }

  /// Removes a contact whose flow has failed, unless it has been registered again since.
  synchronized void drop(Binding failed) {
    List<Binding> old = byUser.getOrDefault(failed.user(), List.of());
    put(failed.user(), old, old.stream().filter(each -> !each.equals(failed)).toList());
  }

  /// Returns the live contacts of a user, the latest first.
  public synchronized List<Binding> bindings(String user, Instant now) {
    return byUser.getOrDefault(user, List.of()).stream()
        .filter(binding -> binding.isLive(now))
        .sorted(Comparator.comparing(Binding::registered).reversed())
        .toList();
  }

  /// Returns the contact that was registered last; empty if the user is not registered.
  public Optional<Binding> latest(String user, Instant now) {
    return bindings(user, now).stream().findFirst();
  }

  /// Returns all live bindings, sorted by user and contact.
  public synchronized List<Binding> all(Instant now) {
    return byUser.values().stream()
        .flatMap(List::stream)
        .filter(binding -> binding.isLive(now))
        .sorted(Comparator.comparing(Binding::user).thenComparing(Binding::contact))
        .toList();
  }

  /// Removes the bindings of users who are not entitled any more.
  public synchronized void endUnless(Predicate<String> entitled) {
    for (String user : List.copyOf(byUser.keySet())) {
      if (!entitled.test(user)) {
        put(user, byUser.getOrDefault(user, List.of()), List.of());
      }
    }
  }

  /// Removes the bindings that have expired.
  public synchronized void expire(Instant now) {
    for (String user : List.copyOf(byUser.keySet())) {
      List<Binding> old = byUser.getOrDefault(user, List.of());
      put(user, old, old.stream().filter(binding -> binding.isLive(now)).toList());
    }
  }

  public synchronized int size() {
    return count;
  }

  private void put(String user, List<Binding> old, List<Binding> next) {
    count += next.size() - old.size();
    if (next.isEmpty()) {
      byUser.remove(user);
    } else {
      byUser.put(user, List.copyOf(next));
    }
  }
}
