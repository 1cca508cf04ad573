package io.viaduct.bridge.call;

import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.bridge.timetable.Timetable;
import io.viaduct.sip.SipMessage;
import io.viaduct.usage.v1.ReplicaCall;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaKind;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The calls that stand, and those that are being set up, for the limits. No request needs an entry
/// to find its way ([CallRoutes]). A call is forgotten when it ends, or when its session expires.
/// Bridges share the calls that stand, because another one may see the end. Thread-safe.
final class CallTable {
  /// A dialog (RFC 3261 section 12), the same for both directions.
  record Key(String callId, String one, String other) {
    static Key of(SipMessage message) {
      String from = message.from().tag();
      String to = message.to().tag();
      return from.compareTo(to) < 0
          ? new Key(message.callId(), from, to)
          : new Key(message.callId(), to, from);
    }

    private String text() {
      return String.join(SEPARATOR, callId, one, other);
    }

    private static Key parse(String text) {
      String[] parts = text.split(SEPARATOR, -1);
      if (parts.length != 3) {
        throw new IllegalArgumentException("a dialog has three parts");
      }
      return new Key(parts[0], parts[1], parts[2]);
    }
  }

  private static final String SEPARATOR = "\n";

  private record Call(String caller, Instant expires) {}

  private final int perUser;
  private final int max;
  private final Duration longest;
  private final Replicas replicas;
  private final Map<Key, Call> calls = new HashMap<>(); // from here on guarded by this
  private final Map<String, Integer> ofUser = new HashMap<>();
  private final Timetable<Key> expiries = new Timetable<>();
  private int settingUp;

  /// @param perUser most calls that one user has made
  /// @param max most calls in all
  /// @param longest a call without session timer is forgotten after this time
  CallTable(int perUser, int max, Duration longest, Replicas replicas) {
    this.perUser = perUser;
    this.max = max;
    this.longest = longest;
    this.replicas = replicas;
    replicas.attach(ReplicaKind.CALL, this::take);
  }

  /// Takes a call of another bridge, or its end.
  private synchronized void take(ReplicaEntry entry) {
    if (!replicas.isCurrent(entry)) {
      return;
    }
    Key key = Key.parse(entry.getKey());
    if (Replicas.isRemoval(entry)) {
      drop(key);
      return;
    }
    Call call =
        new Call(entry.getCall().getCaller(), Instant.ofEpochMilli(entry.getCall().getExpiresMs()));
    expiries.set(key, call.expires);
    if (calls.put(key, call) == null) {
      ofUser.merge(call.caller, 1, Integer::sum);
    }
  }

  private void tell(Key key, Call call) {
    replicas.put(
        ReplicaKind.CALL,
        key.text(),
        call.expires,
        entry ->
            entry.setCall(
                ReplicaCall.newBuilder()
                    .setCaller(call.caller)
                    .setExpiresMs(call.expires.toEpochMilli())));
  }

  /// Takes a place for a call that is being set up. It must be [released][#release].
  ///
  /// @return why there is none
  synchronized Optional<Refusal> reserve(String caller) {
    if (ofUser.getOrDefault(caller, 0) >= perUser) {
      return Optional.of(Refusal.TOO_MANY_CALLS);
    }
    if (calls.size() + settingUp >= max) {
      return Optional.of(Refusal.CALLS_FULL);
    }
    settingUp++;
    ofUser.merge(caller, 1, Integer::sum);
    return Optional.empty();
  }

  /// Gives back the place of a call that is set up or refused.
  synchronized void release(String caller) {
    settingUp--;
    leave(caller);
  }

  /// Notes that a call stands.
  ///
  /// @return false if it was known, because an acceptance came again
  synchronized boolean answered(Key key, String caller, Optional<Duration> timer, Instant now) {
    Call call = new Call(caller, now.plus(timer.orElse(longest)));
    if (calls.putIfAbsent(key, call) != null) {
      return false;
    }
    ofUser.merge(caller, 1, Integer::sum);
    expiries.set(key, call.expires);
    tell(key, call);
    return true;
  }

  /// Notes that the session of a call was refreshed.
  synchronized void refreshed(Key key, Optional<Duration> timer, Instant now) {
    Call call =
        calls.computeIfPresent(
            key, (_, old) -> new Call(old.caller, now.plus(timer.orElse(longest))));
    if (call != null) {
      expiries.set(key, call.expires);
      tell(key, call);
    }
  }

  /// Forgets a call that has ended.
  ///
  /// @return false if it was not known
  synchronized boolean ended(Key key) {
    replicas.remove(ReplicaKind.CALL, key.text());
    return drop(key);
  }

  private boolean drop(Key key) {
    expiries.remove(key);
    Call call = calls.remove(key);
    if (call != null) {
      leave(call.caller);
    }
    return call != null;
  }

  /// Forgets the calls whose session has expired.
  ///
  /// @return how many
  synchronized int expire(Instant now) {
    List<Key> expired = expiries.take(now, Integer.MAX_VALUE);
    expired.forEach(this::drop); // at all bridges by their own clocks
    return expired.size();
  }

  private void leave(String caller) {
    ofUser.computeIfPresent(caller, (_, count) -> count > 1 ? count - 1 : null);
  }

  synchronized int size() {
    return calls.size();
  }
}
