package io.viaduct.bridge.registrar;

import io.viaduct.sip.aka.AkaKeys;
import io.viaduct.sip.digest.CredentialStore;
import io.viaduct.sip.digest.DigestAlgorithm;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The directory of users. Billing owns the users (ADR 0025). The feed of changes from billing is
/// the only writer, except for device keys that billing has just accepted. Thread-safe.
public final class Subscribers implements CredentialStore {
  /// The state of a user's account.
  public enum Admission {
    ACTIVE,
    SUSPENDED,
    UNKNOWN
  }

  private final CompletableFuture<Boolean> loaded = new CompletableFuture<>();
  private volatile Consumer<Subscriber> noticed = _ -> {};
  private final List<Consumer<SubscriberChange>> watchers = new CopyOnWriteArrayList<>();

  // null until the first complete directory has arrived: until then a missing user may still exist
  private volatile @Nullable Map<String, Subscriber> byUser;

  // users by their further addresses; written before byUser
  private volatile Map<String, String> ofAddress = new ConcurrentHashMap<>();

  /// Returns whether a complete directory has arrived, from billing or from the copy on disk.
  public boolean isLoaded() {
    return byUser != null;
  }

  /// Runs an action when a complete directory has arrived; at once if one is here.
  public void onLoaded(Runnable action) {
    var unused = loaded.thenRun(action);
  }

  /// Sets the receiver of users with a new notice. It is called on the thread of the change, and
  /// not for users that were not known before: their notices may be old.
  void onNotice(Consumer<Subscriber> receiver) {
    noticed = receiver;
  }

  /// Adds a receiver of each change after the first complete directory. It is called on the thread
  /// of the change, which may be overtaken by another change of the same user.
  public void onChange(Consumer<SubscriberChange> receiver) {
    watchers.add(receiver);
  }

  /// Replaces the whole directory.
  public void replaceAll(Collection<Subscriber> all) {
    Map<String, Subscriber> before = byUser;
    Map<String, String> addresses = new ConcurrentHashMap<>();
    all.forEach(each -> each.addresses().forEach(part -> addresses.put(part, each.user())));
    ofAddress = addresses;
    byUser =
        new ConcurrentHashMap<>(
            all.stream().collect(Collectors.toMap(Subscriber::user, each -> each, (_, b) -> b)));
    if (before != null) {
      all.forEach(each -> tellNotice(before.get(each.user()), each));
      Map<String, Subscriber> now = known();
      before.values().forEach(each -> tell(each.user(), each, now.get(each.user())));
      now.values().stream()
          .filter(each -> !before.containsKey(each.user()))
          .forEach(each -> tell(each.user(), null, each));
    }
    loaded.complete(true);
  }

  /// Adds or changes one user.
  public void put(Subscriber subscriber) {
    Subscriber before = known().put(subscriber.user(), subscriber);
    index(before, subscriber);
    tellNotice(before, subscriber);
    tell(subscriber.user(), before, subscriber);
  }

  private void tell(String user, @Nullable Subscriber before, @Nullable Subscriber now) {
    SubscriberChange change = new SubscriberChange(user, before, now);
    if (!change.isNone()) {
      watchers.forEach(watcher -> watcher.accept(change));
    }
  }

  private void tellNotice(@Nullable Subscriber before, Subscriber now) {
    if (before != null && before.notice().id() < now.notice().id()) {
      noticed.accept(now);
    }
  }

  public void remove(String user) {
    Subscriber before = known().remove(user);
    index(before, null);
    tell(user, before, null);
  }

  private void index(@Nullable Subscriber before, @Nullable Subscriber now) {
    if (before != null) {
      before.addresses().forEach(part -> ofAddress.remove(part, before.user()));
    }
    if (now != null) {
      now.addresses().forEach(part -> ofAddress.put(part, now.user()));
    }
  }

  /// Returns the user whom the user part of an address names; the part itself if it is no further
  /// address of a user.
  String owner(String part) {
    return contains(part) ? part : ofAddress.getOrDefault(part, part);
  }

  /// Returns the further addresses of a user, sorted.
  List<String> addresses(String user) {
    return find(user).map(known -> known.addresses().stream().sorted().toList()).orElse(List.of());
  }

  /// Adds a device key that billing has just accepted, without waiting for billing's event.
  public void bound(String user, byte[] deviceKey) {
    Subscriber before = known().get(user);
    Subscriber now =
        known()
            .computeIfPresent(
                user,
                (_, old) -> {
                  Set<ByteBuffer> keys = new HashSet<>(old.deviceKeys());
                  keys.add(ByteBuffer.wrap(deviceKey.clone()));
                  return new Subscriber(
                      old.user(),
                      old.isSuspended(),
                      old.ha1(),
                      old.card(),
                      old.addresses(),
                      keys,
                      old.credit(),
                      old.notice());
                });
    tell(user, before, now);
  }

  private Map<String, Subscriber> known() {
    Map<String, Subscriber> all = byUser;
    if (all == null) {
      throw new IllegalStateException("a change arrived before the complete directory");
    }
    return all;
  }

  /// Returns all users, for the copy on disk.
  public Collection<Subscriber> all() {
    return known().values();
  }

  private Optional<Subscriber> find(String user) {
    Map<String, Subscriber> all = byUser;
    return all == null ? Optional.empty() : Optional.ofNullable(all.get(user));
  }

  public Admission admission(String user) {
    return find(user)
        .map(known -> known.isSuspended() ? Admission.SUSPENDED : Admission.ACTIVE)
        .orElse(Admission.UNKNOWN);
  }

  public boolean isActive(String user) {
    return admission(user) == Admission.ACTIVE;
  }

  /// Returns whether a token may be bound to this key without asking billing.
  public boolean hasDevice(String user, byte[] deviceKey) {
    return find(user)
        .map(known -> known.deviceKeys().contains(ByteBuffer.wrap(deviceKey)))
        .orElse(false);
  }

  /// Returns how the credit of a user stands; sufficient for an unknown user.
  public CreditState credit(String user) {
    return find(user).map(Subscriber::credit).orElse(CreditState.SUFFICIENT);
  }

  public boolean contains(String user) {
    return find(user).isPresent();
  }

  public int size() {
    Map<String, Subscriber> all = byUser;
    return all == null ? 0 : all.size();
  }

  @Override
  public Optional<String> ha1(String user, DigestAlgorithm algorithm) {
    return find(user).map(known -> known.ha1().get(algorithm));
  }

  @Override
  public Optional<AkaKeys> aka(String user) {
    return find(user).flatMap(Subscriber::card);
  }
}
