package io.viaduct.bridge.subscription;

import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.bridge.timetable.Timetable;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaKind;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The subscriptions of one notifier, by dialog, by user, and by the time at which they are due.
/// The bridges share them. Thread-safe: it is guarded by its own lock, which a notifier holds from
/// a check to the change that follows, and never while it sends.
///
/// @param <S> the subscriptions
public final class SubscriptionTable<S extends Subscription<S>> {
  /// Writes and reads subscriptions as bridges tell them to each other.
  ///
  /// @param <S> the subscriptions
  public interface Text<S> {
    /// @param self name of this bridge
    void write(S subscription, String self, ReplicaEntry.Builder entry);

    /// @param self name of this bridge
    /// @return empty if this bridge has no such event package
    /// @throws IllegalArgumentException if it is no subscription
    Optional<S> read(ReplicaEntry entry, String self);
  }

  /// Result of a search for the subscription of a SUBSCRIBE.
  ///
  /// @param <S> the subscriptions
  public sealed interface Found<S> {
    /// @param subscription as this bridge goes on with it
    record Known<S>(S subscription) implements Found<S> {}

    record Refused<S>(Refusal reason) implements Found<S> {}
  }

  private static final Deque<DialogKey> NO_KEYS = new ArrayDeque<>(0);

  private final ReplicaKind kind;
  private final Replicas replicas;
  private final Function<S, Object> holder;
  private final Text<S> text;
  private final Map<DialogKey, S> byKey = new ConcurrentHashMap<>(); // changed under the lock
  private final Map<String, Deque<DialogKey>> byUser = new HashMap<>();
  private final Timetable<DialogKey> dues = new Timetable<>();

  /// @param holder returns which of a user's devices it is for, if their number is limited
  public SubscriptionTable(
      ReplicaKind kind, Replicas replicas, Function<S, Object> holder, Text<S> text) {
    this.kind = kind;
    this.replicas = replicas;
    this.holder = holder;
    this.text = text;
    replicas.attach(kind, this::take);
  }

  /// Takes a subscription of another bridge, or its end.
  private synchronized void take(ReplicaEntry entry) {
    if (!replicas.isCurrent(entry)) {
      return;
    }
    if (Replicas.isRemoval(entry)) {
      drop(DialogKey.parse(entry.getKey()));
    } else {
      text.read(entry, replicas.self()).ifPresent(this::keep);
    }
  }

  public synchronized int size() {
    return byKey.size();
  }

  /// Returns the subscriptions of this moment. They may change meanwhile.
  Iterator<DialogKey> keys() {
    return byKey.keySet().iterator();
  }

  /// Returns the subscriptions to look at now, the earliest first. The next call returns those
  /// again whose time has not been changed by then.
  ///
  /// @param max most subscriptions
  synchronized List<DialogKey> due(Instant now, int max) {
    List<DialogKey> keys = dues.take(now, max);
    keys.forEach(key -> dues.set(key, Objects.requireNonNull(byKey.get(key)).dueAt()));
    return keys;
  }

  /// Makes all subscriptions of a user due.
  public synchronized void touch(String user, Instant now) {
    byUser.getOrDefault(user, NO_KEYS).forEach(key -> dues.bringForward(key, now));
  }

  /// Makes a subscription due at its end, and not before: another bridge acts for it.
  public synchronized void rest(S subscription) {
    dues.set(subscription.dialog().key(), subscription.dialog().expires());
  }

  public synchronized @Nullable S get(DialogKey key) {
    return byKey.get(key);
  }

  /// Returns how many subscriptions a user has.
  public synchronized int count(String user) {
    return byUser.getOrDefault(user, NO_KEYS).size();
  }

  /// Returns the oldest subscription of the same holder, if the holder has more than `most`.
  public synchronized Optional<S> surplus(S newest, int most) {
    Object of = holder.apply(newest);
    List<S> all =
        byUser.getOrDefault(newest.dialog().user(), NO_KEYS).stream()
            .map(key -> Objects.requireNonNull(byKey.get(key)))
            .filter(each -> holder.apply(each).equals(of))
            .toList();
    return all.size() <= most ? Optional.empty() : Optional.of(all.getFirst());
  }

  /// Finds the subscription that a SUBSCRIBE refreshes.
  ///
  /// @param event value of its Event header
  public synchronized Found<S> find(SubscribeRequest subscribe, String event) {
    S old = byKey.get(DialogKey.of(subscribe.message()));
    if (old == null
        || !old.dialog().user().equals(subscribe.user())
        || !old.dialog().event().equals(event)) {
      return new Found.Refused<>(Refusal.UNKNOWN_DIALOG);
    }
    return subscribe.message().cseq().number() <= old.dialog().remoteCseq()
        ? new Found.Refused<>(Refusal.OUT_OF_ORDER) // RFC 3261 section 12.2.2
        : new Found.Known<>(ours(old));
  }

  /// Returns a subscription as this bridge goes on with it.
  public S ours(S known) {
    return replicas.isAlone() || replicas.isOwn(kind, known.dialog().key().text())
        ? known
        : known.with(known.dialog().takenOver());
  }

  /// Keeps a subscription or its new state, and tells the other bridges.
  public synchronized void put(S subscription) {
    keep(subscription);
    if (!replicas.isAlone()) {
      replicas.put(
          kind,
          subscription.dialog().key().text(),
          subscription.dialog().expires(),
          entry -> text.write(subscription, replicas.self(), entry));
    }
  }

  /// Keeps a subscription or its new state, which the other bridges need not know.
  public synchronized void keep(S subscription) {
    DialogKey key = subscription.dialog().key();
    S old = byKey.put(key, subscription);
    dues.set(key, subscription.dueAt());
    if (old != null && holder.apply(old).equals(holder.apply(subscription))) {
      return;
    }
    if (old != null) {
      release(old);
    }
    byUser.computeIfAbsent(subscription.dialog().user(), _ -> new ArrayDeque<>(2)).addLast(key);
  }

  /// Removes a subscription, and tells the other bridges.
  public synchronized void remove(DialogKey key) {
    drop(key);
    if (!replicas.isAlone()) {
      replicas.remove(kind, key.text());
    }
  }

  /// Removes a subscription that another bridge has ended.
  public synchronized void drop(DialogKey key) {
    dues.remove(key);
    S old = byKey.remove(key);
    if (old != null) {
      release(old);
    }
  }

  private void release(S old) {
    byUser.computeIfPresent(
        old.dialog().user(),
        (_, keys) -> {
          keys.remove(old.dialog().key());
          return keys.isEmpty() ? null : keys;
        });
  }

  /// Makes a NOTIFY due again that was not sent, unless a later one was.
  synchronized void notifyAgain(SubscriptionDialog unsent) {
    S now = byKey.get(unsent.key());
    if (now != null && now.dialog().cseq() == unsent.cseq()) {
      put(now.due());
    }
  }

  /// Removes a subscription whose NOTIFY failed (RFC 6665 section 4.2.2). It stays if the
  /// subscriber has subscribed again since, or if a later NOTIFY was sent: a subscriber rightly
  /// refuses a NOTIFY that a later one has overtaken. So does the subscription of another bridge's
  /// flow: a NAT may let in only what that bridge sends.
  synchronized void forget(SubscriptionDialog failed) {
    S now = byKey.get(failed.key());
    if (now != null
        && now.dialog().path().flow().owner().isEmpty()
        && now.dialog().remoteCseq() == failed.remoteCseq()
        && now.dialog().cseq() == failed.cseq()) {
      remove(failed.key());
    }
  }
}
