package io.viaduct.bridge.replication;

import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaKind;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// The newest version of each entry that the bridges share, with those that were removed. Of two
/// versions the one with the later time counts (hybrid logical clock), so all bridges have the same
/// entries once they have heard of the same changes, in whatever order. A removal is kept until the
/// entry would have expired: an older version that comes late does not bring it back.
///
/// A table changes under its own lock and tells the change here while it has the lock; what comes
/// from another bridge is merged here first, and the table takes it under its lock if it is
/// [current][#isCurrent] then. So table and entries agree. Thread-safe; a bridge without others
/// keeps nothing here.
public final class Replicas {
  /// A bridge without others.
  public static final Replicas NONE = new Replicas("", 0, InstantSource.system());

  private static final Comparator<ReplicaEntry> AGE =
      Comparator.comparingLong(ReplicaEntry::getVersion).thenComparing(ReplicaEntry::getOrigin);
  private static final int NUMBER_BITS = 16;

  /// The identity of an entry.
  public record Key(ReplicaKind kind, String key) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::kind).thenComparing(Key::key);

    public static Key of(ReplicaEntry entry) {
      return new Key(entry.getKind(), entry.getKey());
    }

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  private record Due(long untilMs, Key key) implements Comparable<Due> {
    private static final Comparator<Due> ORDER =
        Comparator.comparingLong(Due::untilMs).thenComparing(Due::key);

    static Due of(ReplicaEntry entry) {
      return new Due(entry.getUntilMs(), Key.of(entry));
    }

    @Override
    public int compareTo(Due other) {
      return ORDER.compare(this, other);
    }
  }

  private static final long ENDED_CALL_MS = 600_000;

  private final String self;
  private final int limit;
  private final InstantSource clock;
  private final Map<ReplicaKind, ReplicaTable> tables = new ConcurrentHashMap<>();
  private final List<Consumer<Key>> watchers = new CopyOnWriteArrayList<>();
  private final Map<Key, ReplicaEntry> entries = new HashMap<>(); // from here on guarded by this
  private final NavigableSet<Due> dues = new TreeSet<>();
  private long lastVersion;
  private long overflows;

  /// @param self name of this bridge
  /// @param limit most entries; 0: this bridge has no others
  public Replicas(String self, int limit, InstantSource clock) {
    this.self = self;
    this.limit = limit;
    this.clock = clock;
  }

  /// Returns the name of this bridge.
  public String self() {
    return self;
  }

  /// Returns whether this bridge has no others.
  public boolean isAlone() {
    return limit == 0;
  }

  /// Sets the table of a kind. To be called before the first entry of another bridge comes.
  public void attach(ReplicaKind kind, ReplicaTable table) {
    if (!isAlone()) {
      tables.put(kind, table);
    }
  }

  /// Adds a receiver of the keys of this bridge's changes. It is called under the table's lock, and
  /// must not block.
  public void watch(Consumer<Key> watcher) {
    watchers.add(watcher);
  }

  /// Notes a change of this bridge. The caller has the lock of the table.
  ///
  /// @param until time after which the entry counts no more
  /// @param state sets the state
  public void put(
      ReplicaKind kind, String key, Instant until, Consumer<ReplicaEntry.Builder> state) {
    if (isAlone()) {
      return;
    }
    if (!until.isAfter(clock.instant())) {
      remove(kind, key);
      return;
    }
    ReplicaEntry.Builder entry =
        ReplicaEntry.newBuilder().setKind(kind).setKey(key).setUntilMs(until.toEpochMilli());
    state.accept(entry);
    write(entry);
  }

  /// Notes that this bridge has removed an entry. The caller has the lock of the table.
  public void remove(ReplicaKind kind, String key) {
    if (isAlone()) {
      return;
    }
    Optional<ReplicaEntry> old = get(new Key(kind, key));
    if (old.isPresent() && !isRemoval(old.get())) {
      write(ReplicaEntry.newBuilder().setKind(kind).setKey(key).setUntilMs(kept(old.get())));
    }
  }

  // Calls end by the thousand long before their limit of time, and count for limits only: their
  // removals must not take the place of contacts.
  private long kept(ReplicaEntry old) {
    long untilMs = old.getUntilMs();
    return old.getKind() == ReplicaKind.CALL
        ? Math.min(untilMs, clock.millis() + ENDED_CALL_MS)
        : untilMs;
  }

  private void write(ReplicaEntry.Builder entry) {
    Key key = new Key(entry.getKind(), entry.getKey());
    synchronized (this) {
      if (entry.getUntilMs() <= clock.millis()) {
        forget(key); // the others forget it by themselves
        return;
      }
      if (!entries.containsKey(key) && entries.size() >= limit) {
        overflows++;
        return;
      }
      lastVersion = Math.max(clock.millis() << NUMBER_BITS, lastVersion + 1);
      store(entry.setVersion(lastVersion).setOrigin(self).build());
    }
    watchers.forEach(watcher -> watcher.accept(key));
  }

  /// Takes an entry of another bridge, and passes it to its table.
  ///
  /// @return false if the entry is not newer than the one that is known, or there is no place
  public boolean merge(ReplicaEntry entry) {
    ReplicaTable table = tables.get(entry.getKind());
    Key key = Key.of(entry);
    synchronized (this) {
      ReplicaEntry old = entries.get(key);
      lastVersion = Math.max(lastVersion, entry.getVersion());
      if (table == null
          || entry.getUntilMs() <= clock.millis()
          || old != null && AGE.compare(old, entry) >= 0) {
        return false;
      }
      if (old == null && entries.size() >= limit) {
        overflows++;
        return false;
      }
      store(entry);
    }
    table.take(entry);
    return true;
  }

  private void store(ReplicaEntry entry) {
    Key key = Key.of(entry);
    forget(key);
    entries.put(key, entry);
    dues.add(Due.of(entry));
  }

  private void forget(Key key) {
    ReplicaEntry old = entries.remove(key);
    if (old != null) {
      dues.remove(Due.of(old));
    }
  }

  /// Returns whether an entry is the newest version. To be asked under the lock of the table.
  public synchronized boolean isCurrent(ReplicaEntry entry) {
    return entry.equals(entries.get(Key.of(entry)));
  }

  /// Returns whether this bridge has written the newest version of an entry.
  public synchronized boolean isOwn(ReplicaKind kind, String key) {
    ReplicaEntry entry = entries.get(new Key(kind, key));
    return entry == null || entry.getOrigin().equals(self);
  }

  /// Returns whether an entry says that it was removed.
  public static boolean isRemoval(ReplicaEntry entry) {
    return entry.getStateCase() == ReplicaEntry.StateCase.STATE_NOT_SET;
  }

  /// Returns the newest version of an entry, or its removal.
  public synchronized Optional<ReplicaEntry> get(Key key) {
    return Optional.ofNullable(entries.get(key));
  }

  /// Returns the keys of the entries, of removed ones too, whose origin is wanted: contacts before
  /// subscriptions, which end without a contact.
  public synchronized List<Key> keys(Predicate<String> origin) {
    return entries.entrySet().stream()
        .filter(each -> origin.test(each.getValue().getOrigin()))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /// Forgets the entries that have expired. The tables do so by themselves.
  public synchronized void expire(Instant now) {
    while (!dues.isEmpty() && dues.first().untilMs() <= now.toEpochMilli()) {
      forget(dues.first().key());
    }
  }

  /// Returns the number of entries, removed ones included.
  public synchronized int size() {
    return entries.size();
  }

  /// Returns how many entries had no place.
  public synchronized long overflows() {
    return overflows;
  }
}
