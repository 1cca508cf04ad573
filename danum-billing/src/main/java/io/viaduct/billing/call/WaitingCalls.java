package io.viaduct.billing.call;

import io.viaduct.billing.rating.CallPrice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// The calls whose last answer of this instance said that the credit pays no more: their nodes hear
/// of a top-up. Another instance knows those that it has answered itself, and a restart forgets
/// them: they hear with their next request. Thread-safe.
final class WaitingCalls {
  /// Most calls that are known. A further one is left out.
  static final int CALLS_MAX = 100_000;

  private final Map<String, Map<WaitingCall, Waiting>> byAccount = new HashMap<>();
  private int size;

  private record Waiting(Seconds wanted, Instant until) {}

  /// Returns whether a call waits for credit after the answer to its request.
  static boolean waits(CallRequest request, CallAnswer answer) {
    return request.kind() != CallRequest.Kind.TERMINATION
        && (answer.outcome() == CallOutcome.SUCCESS && answer.isLast()
            || answer.outcome() == CallOutcome.CREDIT_LIMIT_REACHED);
  }

  /// Adds a call.
  ///
  /// @param wanted seconds for which its node is told
  /// @param until time after which a call that asks no more has ended
  synchronized void add(WaitingCall call, String account, Seconds wanted, Instant until) {
    if (size < CALLS_MAX) {
      Waiting before =
          byAccount
              .computeIfAbsent(account, _ -> new LinkedHashMap<>())
              .put(call, new Waiting(wanted, until));
      size += before == null ? 1 : 0;
    }
  }

  /// Forgets a call, because it has got what it wants, or has ended.
  synchronized void forget(String account, WaitingCall call) {
    Map<WaitingCall, Waiting> calls = byAccount.get(account);
    if (calls != null && calls.remove(call) != null) {
      size--;
      if (calls.isEmpty()) {
        byAccount.remove(account);
      }
    }
  }

  /// Forgets the calls that ask no more. Called from time to time.
  synchronized void expire(Instant now) {
    for (Map<WaitingCall, Waiting> calls : byAccount.values()) {
      int before = calls.size();
      calls.values().removeIf(each -> each.until().isBefore(now));
      size -= before - calls.size();
    }
    byAccount.values().removeIf(Map::isEmpty);
  }

  /// Returns the accounts with a call that waits.
  synchronized Set<String> accounts() {
    return Set.copyOf(byAccount.keySet());
  }

  /// Returns the calls of an account that can be paid now, and forgets them.
  ///
  /// @param pays decides whether the account pays some seconds
  List<WaitingCall> take(String account, Predicate<Seconds> pays, Instant now) {
    List<WaitingCall> payable = new ArrayList<>();
    for (Map.Entry<WaitingCall, Waiting> each : of(account).entrySet()) {
      Waiting waiting = each.getValue();
      if (waiting.until().isBefore(now)) {
        remove(account, each.getKey());
      } else if (pays.test(waiting.wanted())) {
        payable.add(each.getKey());
      }
    }
    // Only now, because the test may fail: then none of them is forgotten.
    payable.removeIf(call -> !remove(account, call));
    return payable;
  }

  /// An amount of seconds and their price.
  record Seconds(CallPrice price, long seconds) {}

  private synchronized Map<WaitingCall, Waiting> of(String account) {
    return Map.copyOf(byAccount.getOrDefault(account, Map.of()));
  }

  private synchronized boolean remove(String account, WaitingCall call) {
    int before = size;
    forget(account, call);
    return size < before;
  }
}
