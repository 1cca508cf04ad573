package io.viaduct.sip.digest;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/// Remembers the used counts of each nonce in a window of 64 below the highest, because requests
/// over UDP overtake each other. When the memory is full, the oldest entries are removed. All
/// nonces issued up to then count as stale, so that a removal never allows a replay. Thread-safe.
final class NonceCounts {
  private static final int WINDOW = 64;

  private static final class Used {
    final long issuedMs;
    long highest;
    long seen; // bit i stands for the count highest - i

    Used(long issuedMs) {
      this.issuedMs = issuedMs;
    }
  }

  private final int limit;
  private final Map<String, Used> byNonce = new LinkedHashMap<>();
  private long forgottenUpToMs;

  /// @param limit most nonces at a time
  /// @param beginMs counts of nonces that were issued before are not known
  NonceCounts(int limit, long beginMs) {
    this.limit = limit;
    this.forgottenUpToMs = beginMs - 1;
  }

  /// Marks a count as used.
  ///
  /// @param oldestMs nonces issued before are stale already and need no memory
  /// @return false if the count was used before, or if that is no longer known
  synchronized boolean use(Nonce nonce, long count, long oldestMs) {
    Used used = byNonce.get(nonce.encoded());
    if (used == null) {
      if (nonce.issuedMs() <= forgottenUpToMs) {
        return false;
      }
      makeRoom(oldestMs);
      used = new Used(nonce.issuedMs());
      byNonce.put(nonce.encoded(), used);
    }
    return mark(used, count);
  }

  private static boolean mark(Used used, long count) {
    if (count > used.highest) {
      long shift = count - used.highest;
      used.seen = shift >= WINDOW ? 1 : used.seen << shift | 1;
      used.highest = count;
      return true;
    }
    long back = used.highest - count;
    if (back >= WINDOW || (used.seen >>> back & 1) != 0) {
      return false;
    }
    used.seen |= 1L << back;
    return true;
  }

  private void makeRoom(long oldestMs) {
    Iterator<Used> first = byNonce.values().iterator();
    while (first.hasNext()) {
      Used used = first.next();
      if (used.issuedMs >= oldestMs && byNonce.size() < limit) {
        return;
      }
      if (used.issuedMs >= oldestMs) {
        forgottenUpToMs = Math.max(forgottenUpToMs, used.issuedMs);
      }
      first.remove();
    }
  }
}
