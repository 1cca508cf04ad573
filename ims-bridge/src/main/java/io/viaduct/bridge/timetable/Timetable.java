package io.viaduct.bridge.timetable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/// Keys by the time at which each is due, so that a tick of the clock looks at no key that is not
/// due. A key has one time; of keys with the same time, the one that was set first comes first. Not
/// thread-safe: the lock of the table whose keys they are guards it.
///
/// @param <K> the keys
public final class Timetable<K> {
  private record Entry<K>(Instant at, long order, K key) implements Comparable<Entry<K>> {
    private static final Comparator<Entry<?>> ORDER =
        Comparator.<Entry<?>, Instant>comparing(Entry::at).thenComparingLong(Entry::order);

    @Override
    public int compareTo(Entry<K> other) {
      return ORDER.compare(this, other);
    }
  }

  private final Map<K, Entry<K>> byKey = new HashMap<>();
  private final NavigableSet<Entry<K>> entries = new TreeSet<>();
  private long count;

  /// Sets when a key is due, in place of the time that it had.
  public void set(K key, Instant at) {
    Entry<K> next = new Entry<>(at, count++, key);
    Entry<K> old = byKey.put(key, next);
    if (old != null) {
      entries.remove(old);
    }
    entries.add(next);
  }

  /// Makes a key that has a time due at an earlier one.
  public void bringForward(K key, Instant at) {
    Entry<K> known = byKey.get(key);
    if (known != null && known.at.isAfter(at)) {
      set(key, at);
    }
  }

  public void remove(K key) {
    Entry<K> old = byKey.remove(key);
    if (old != null) {
      entries.remove(old);
    }
  }

  /// Removes and returns the keys that are due, the earliest first.
  ///
  /// @param max most keys
  public List<K> take(Instant now, int max) {
    List<K> due = new ArrayList<>();
    while (due.size() < max && !entries.isEmpty() && !entries.first().at.isAfter(now)) {
      K key = entries.removeFirst().key;
      byKey.remove(key);
      due.add(key);
    }
    return due;
  }
}
