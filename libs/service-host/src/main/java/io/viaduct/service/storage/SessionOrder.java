package io.viaduct.service.storage;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/// Says which entry of a queue may be sent next: the oldest one that is the first of its session,
/// if no other entry of that session is in flight or set aside. Entries are added in their order.
/// Not thread-safe.
final class SessionOrder {
  // All entries that are not done, by session.
  private final Map<String, Deque<Long>> sessions = new HashMap<>();
  // Sessions by their first entry. Each session is in one of these.
  private final TreeMap<Long, String> ready = new TreeMap<>();
  private final Map<Long, String> inFlight = new HashMap<>();
  private final Map<Long, String> aside = new HashMap<>();

  /// Adds an entry.
  void add(long number, String session) {
    Deque<Long> entries = sessions.computeIfAbsent(session, _ -> new ArrayDeque<>());
    if (entries.isEmpty()) {
      ready.put(number, session);
    }
    entries.add(number);
  }

  /// Takes the entry that may be sent next; empty if there is none.
  OptionalLong take() {
    Map.Entry<Long, String> first = ready.pollFirstEntry();
    if (first == null) {
      return OptionalLong.empty();
    }
    inFlight.put(first.getKey(), first.getValue());
    return OptionalLong.of(first.getKey());
  }

  /// Removes an entry that was taken. The next one of its session may be sent.
  void done(long number) {
    String session = taken(number);
    Deque<Long> entries = sessions.getOrDefault(session, new ArrayDeque<>());
    entries.removeFirst();
    if (entries.isEmpty()) {
      sessions.remove(session);
    } else {
      ready.put(entries.getFirst(), session);
    }
  }

  /// Sets an entry that was taken aside, with its session, until [#resume].
  void setAside(long number) {
    aside.put(number, taken(number));
  }

  private String taken(long number) {
    String session = inFlight.remove(number);
    if (session == null) {
      throw new IllegalStateException("entry " + number + " is not in flight");
    }
    return session;
  }

  /// Lets what was set aside be sent again.
  void resume() {
    ready.putAll(aside);
    aside.clear();
  }

  /// Returns the number of entries that are taken or set aside.
  int busy() {
    return inFlight.size() + aside.size();
  }
}
