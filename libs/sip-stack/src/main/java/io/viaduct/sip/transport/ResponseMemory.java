package io.viaduct.sip.transport;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Keeps the final responses to requests received over UDP for Timer J (RFC 3261 section 17.2.2). A
/// retransmission gets the same answer and is never processed twice. When the memory is full, the
/// oldest entry is removed. A later retransmission of that request counts as new, and the checks of
/// digest and CSeq refuse it.
///
/// All entries live equally long, so the order of insertion is the order of expiry.
public final class ResponseMemory {
  /// 64 * T1.
  public static final Duration TIMER_J = Duration.ofSeconds(32);

  /// Identity of a request (RFC 3261 section 17.2.3). It has more fields than the RFC's, so that
  /// requests without a unique branch differ too.
  public record Key(String source, String via, String callId, String cseq) {}

  /// State of a request in the memory.
  public sealed interface Seen {
    record First() implements Seen {}

    record InProgress() implements Seen {}

    record Answered(byte[] response) implements Seen {}
  }

  private record Entry(long expiresMs, byte @Nullable [] response) {}

  private final int limit;
  private final Map<Key, Entry> entries = new LinkedHashMap<>();

  public ResponseMemory(int limit) {
    this.limit = limit;
  }

  /// Stores a request, and returns whether it came before.
  public synchronized Seen onRequest(Key key, long nowMs) {
    forget(nowMs);
    Entry entry = entries.get(key);
    if (entry == null) {
      entries.put(key, new Entry(nowMs + TIMER_J.toMillis(), null));
      return new Seen.First();
    }
    return entry.response == null ? new Seen.InProgress() : new Seen.Answered(entry.response);
  }

  /// Stores the final response to a request.
  public synchronized void onResponse(Key key, byte[] response) {
    entries.computeIfPresent(key, (_, entry) -> new Entry(entry.expiresMs, response));
  }

  /// Removes a request that was not processed, so that its retransmission counts as new.
  public synchronized void forget(Key key) {
    entries.remove(key);
  }

  public synchronized int size() {
    return entries.size();
  }

  private void forget(long nowMs) {
    Iterator<Entry> oldest = entries.values().iterator();
    while (oldest.hasNext() && (oldest.next().expiresMs <= nowMs || entries.size() >= limit)) {
      oldest.remove();
    }
  }
}
