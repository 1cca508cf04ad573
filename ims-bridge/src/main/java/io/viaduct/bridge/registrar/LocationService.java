package io.viaduct.bridge.registrar;

import io.viaduct.bridge.replication.Replicas;
import io.viaduct.sip.SipFlow;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The bindings by user (RFC 3261 section 10). They are held in memory only; after a restart user
/// agents register again, or another bridge tells them. Bridges share them: each change is told to
/// the others, and theirs come by [#take]. A change locks its user only, and expiry looks at no
/// binding that has not expired, so neither waits for the size of the table. Thread-safe.
public final class LocationService {
  /// The result of a change. A refused change leaves all bindings as they were.
  public enum Outcome {
    DONE,
    TOO_MANY_CONTACTS,
    TOO_MANY_BINDINGS,
    /// The same Call-ID with a CSeq that is not higher (RFC 3261 section 10.3 steps 6 and 7).
    OUT_OF_ORDER
  }

  /// The first expiry among the bindings of a user.
  private record Due(Instant time, String user) implements Comparable<Due> {
    private static final Comparator<Due> ORDER =
        Comparator.comparing(Due::time).thenComparing(Due::user);

    static Due of(List<Binding> bindings) {
      Binding first = Collections.min(bindings, Comparator.comparing(Binding::expires));
      return new Due(first.expires(), first.user());
    }

    @Override
    public int compareTo(Due other) {
      return ORDER.compare(this, other);
    }
  }

  private final int contactsMax;
  private final int bindingsMax;
  private final Replicas replicas;
  private final Map<String, List<Binding>> byUser = new ConcurrentHashMap<>();
  private final NavigableSet<Due> dues = new ConcurrentSkipListSet<>(); // one of each user
  private final AtomicInteger count = new AtomicInteger();
  private final List<Consumer<String>> watchers = new CopyOnWriteArrayList<>();

  /// Bindings of each connection of this bridge.
  private final Map<SipFlow, Integer> ofConnection = new ConcurrentHashMap<>();

  /// Makes the bindings of a bridge without others.
  ///
  /// @param contactsMax most contacts of one user
  /// @param bindingsMax most bindings in all
  public LocationService(int contactsMax, int bindingsMax) {
    this(contactsMax, bindingsMax, Replicas.NONE);
  }

  LocationService(int contactsMax, int bindingsMax, Replicas replicas) {
    this.contactsMax = contactsMax;
    this.bindingsMax = bindingsMax;
    this.replicas = replicas;
    replicas.attach(ReplicaKind.CONTACT, this::take);
  }

  /// Adds a receiver of the users whose bindings have changed. It is called on the thread of the
  /// change, without a lock.
  public void watch(Consumer<String> watcher) {
    watchers.add(watcher);
  }

  /// Takes a binding of another bridge, or its end.
  private void take(ReplicaEntry entry) {
    Optional<Binding> told =
        Replicas.isRemoval(entry)
            ? Optional.empty()
            : Optional.of(ContactText.read(entry.getContact(), replicas.self()));
    String user = entry.getKey().substring(0, Math.max(0, entry.getKey().indexOf('\n')));
    change(
        user,
        old -> {
          if (!replicas.isCurrent(entry)) {
            return new Change(Outcome.DONE, old);
          }
          List<Binding> next = new ArrayList<>(old);
          next.removeIf(each ->
              each.key().equals(entry.getKey())
                  || told.isPresent() && each.isReplacedBy(told.get()));
          told.ifPresent(next::add);
          return new Change(Outcome.DONE, next);
        },
        false);
  }

  /// Tells the other bridges what has changed, under the lock of the user.
  private void tell(List<Binding> old, List<Binding> next) {
    if (replicas.isAlone()) {
      return;
    }
    for (Binding each : next) {
      if (!old.contains(each)) {
        replicas.put(
            ReplicaKind.CONTACT,
            each.key(),
            each.expires(),
            entry -> entry.setContact(ContactText.write(each, replicas.self())));
      }
    }
    for (Binding each : old) {
      if (next.stream().noneMatch(left -> left.key().equals(each.key()))) {
        replicas.remove(ReplicaKind.CONTACT, each.key());
      }
    }
  }

  /// Applies all contacts of one REGISTER, or none of them. A contact that expires now is removed.
  Outcome update(String user, List<Binding> changes, Instant now) {
    return change(
        user,
        old -> {
          List<Binding> live = old.stream().filter(binding -> binding.isLive(now)).toList();
          List<Binding> next = new ArrayList<>(live);
          for (Binding change : changes) {
            // If one REGISTER has two equal contacts, the second replaces the first; so only
            // earlier bindings are compared.
            if (live.stream().anyMatch(each -> isLate(change, each))) {
              return new Change(Outcome.OUT_OF_ORDER, old);
            }
            next.removeIf(binding -> binding.isReplacedBy(change));
            if (change.isLive(now)) {
              next.add(change);
            }
          }
          return next.size() > contactsMax
              ? new Change(Outcome.TOO_MANY_CONTACTS, old)
              : new Change(Outcome.DONE, next);
        });
  }

  private static boolean isLate(Binding change, Binding known) {
    return known.isReplacedBy(change) && !known.isBefore(change.callId(), change.cseq());
  }

  /// Removes all contacts of a user (`Contact: *`), or none of them. Those of the core stay: its
  /// S-CSCF ends them.
  ///
  /// @param callId Call-ID of the REGISTER
  Outcome removeAll(String user, String callId, long cseq, Instant now) {
    return change(
        user,
        old ->
            old.stream()
                    .filter(b -> b.core().isEmpty())
                    .anyMatch(b -> b.isLive(now) && !b.isBefore(callId, cseq))
                ? new Change(Outcome.OUT_OF_ORDER, old)
                : new Change(
                    Outcome.DONE, old.stream().filter(b -> b.core().isPresent()).toList()));
  }

  /// Removes a contact whose flow has failed, unless it has been registered again since.
  void drop(Binding failed) {
    keep(failed.user(), each -> !each.equals(failed));
  }

  /// Returns the live contacts of a user, the latest first.
  public List<Binding> bindings(String user, Instant now) {
    return byUser.getOrDefault(user, List.of()).stream()
        .filter(binding -> binding.isLive(now))
        .sorted(Comparator.comparing(Binding::registered).reversed())
        .toList();
  }

  /// Returns whether a user has a live contact.
  public boolean isRegistered(String user, Instant now) {
    for (Binding each : byUser.getOrDefault(user, List.of())) {
      if (each.isLive(now)) {
        return true;
      }
    }
    return false;
  }

  /// Returns all live bindings, sorted by user and contact.
  public List<Binding> all(Instant now) {
    return byUser.values().stream()
        .flatMap(List::stream)
        .filter(binding -> binding.isLive(now))
        .sorted(Comparator.comparing(Binding::user).thenComparing(Binding::contact))
        .toList();
  }

  /// Removes the bindings of a user who is not entitled to any. Those that another bridge has
  /// written are left to it: its directory of users may be newer than that of this one.
  void end(String user) {
    keep(user, each -> !replicas.isOwn(ReplicaKind.CONTACT, each.key()));
  }

  /// Removes the bindings that have expired.
  public void expire(Instant now) {
    for (Due due : dues) {
      if (due.time().isAfter(now)) {
        return;
      }
      keep(due.user(), binding -> binding.isLive(now));
    }
  }

  /// Returns whether a binding uses a connection of this bridge. Does not block.
  boolean uses(SipFlow connection) {
    return ofConnection.containsKey(connection);
  }

  /// Returns the number of bindings.
  public int size() {
    return count.get();
  }

  private void keep(String user, Predicate<Binding> wanted) {
    change(user, old -> new Change(Outcome.DONE, old.stream().filter(wanted).toList()));
  }

  private void count(SipFlow flow, int more) {
    if (flow.transport().isReliable() && flow.owner().isEmpty()) {
      ofConnection.merge(flow, more, (had, add) -> had + add == 0 ? null : had + add);
    }
  }

  private record Change(Outcome outcome, List<Binding> next) {}

  /// Changes the bindings of one user, under the lock of the user's entry.
  private Outcome change(String user, Function<List<Binding>, Change> action) {
    return change(user, action, true);
  }

  /// @param isOwn whether this bridge makes the change
  private Outcome change(String user, Function<List<Binding>, Change> action, boolean isOwn) {
    Outcome[] outcome = new Outcome[1];
    boolean[] isChanged = new boolean[1];
    byUser.compute(
        user,
        (_, known) -> {
          List<Binding> old = known == null ? List.of() : known;
          Change change = action.apply(old);
          int more = change.next().size() - old.size();
          if (count.addAndGet(more) > bindingsMax && more > 0) {
            count.addAndGet(-more);
            change = new Change(Outcome.TOO_MANY_BINDINGS, old);
          }
          outcome[0] = change.outcome();
          isChanged[0] = !change.next().equals(old);
          if (isOwn) {
            tell(old, change.next());
          }
          return plan(old, List.copyOf(change.next()));
        });
    if (isChanged[0]) {
      watchers.forEach(watcher -> watcher.accept(user));
    }
    return outcome[0];
  }

  private @Nullable List<Binding> plan(List<Binding> old, List<Binding> next) {
    next.forEach(binding -> count(binding.flow(), 1));
    old.forEach(binding -> count(binding.flow(), -1));
    if (!old.isEmpty()) {
      dues.remove(Due.of(old));
    }
    if (next.isEmpty()) {
      return null;
    }
    dues.add(Due.of(next));
    return next;
  }
}
