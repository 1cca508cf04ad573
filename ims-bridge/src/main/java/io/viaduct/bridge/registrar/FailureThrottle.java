package io.viaduct.bridge.registrar;

import java.net.InetAddress;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// Wrong passwords by user and source address within a minute. Both, so that nobody can lock out a
/// user from elsewhere. Bounded: the oldest is forgotten first. Thread-safe.
final class FailureThrottle {
  private static final int ENTRIES_MAX = 10_000;
  private static final long WINDOW_SECONDS = 60;

  private record Key(String user, InetAddress source) {}

  private record Failures(long window, int count) {}

  private final int limit;
  private final Map<Key, Failures> failures =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Failures> eldest) {
          return size() > ENTRIES_MAX;
        }
      };

  FailureThrottle(int limit) {
    this.limit = limit;
  }

  synchronized boolean isBlocked(String user, InetAddress source, Instant now) {
    Failures found = failures.get(new Key(user, source));
    return found != null && found.window == window(now) && found.count >= limit;
  }

  synchronized void failed(String user, InetAddress source, Instant now) {
    failures.merge(
        new Key(user, source),
        new Failures(window(now), 1),
        (old, one) -> old.window == one.window ? new Failures(old.window, old.count + 1) : one);
  }

  synchronized void succeeded(String user, InetAddress source) {
    failures.remove(new Key(user, source));
  }

  private static long window(Instant now) {
    return now.getEpochSecond() / WINDOW_SECONDS;
  }
}
