package io.viaduct.billing.credit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// The sessions that ask this billing instance for credit, by account, each with the stream of its
/// last request. Changes of the credit are pushed there. Thread-safe.
final class CreditSessions {
  /// Most sessions of one instance. A further one is refused.
  static final int SESSIONS_MAX = 1_000_000;

  private final Map<String, Map<SessionKey, CreditStream>> byAccount = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();

  /// Sets the stream of a session.
  ///
  /// @return false if there are too many sessions
  boolean put(String account, SessionKey session, CreditStream stream) {
    if (size.get() >= SESSIONS_MAX) {
      return false;
    }
    byAccount.compute(
        account,
        (_, known) -> {
          Map<SessionKey, CreditStream> sessions = known == null ? new HashMap<>() : known;
          if (sessions.put(session, stream) == null) {
            size.incrementAndGet();
          }
          return sessions;
        });
    return true;
  }

  /// Removes a session, unless another stream has taken it over.
  void remove(String account, SessionKey session, CreditStream stream) {
    byAccount.computeIfPresent(
        account,
        (_, sessions) -> {
          if (sessions.remove(session, stream)) {
            size.decrementAndGet();
          }
          return sessions.isEmpty() ? null : sessions;
        });
  }

  /// Returns the sessions of an account with their streams.
  Map<SessionKey, CreditStream> of(String account) {
    Map<SessionKey, CreditStream> copy = new HashMap<>();
    byAccount.computeIfPresent(
        account,
        (_, sessions) -> {
          copy.putAll(sessions);
          return sessions;
        });
    return copy;
  }

  Set<String> accounts() {
    return Set.copyOf(byAccount.keySet());
  }

  List<CreditStream> streams() {
    return accounts().stream()
        .flatMap(account -> of(account).values().stream())
        .distinct()
        .toList();
  }

  int size() {
    return size.get();
  }
}
