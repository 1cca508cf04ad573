package io.viaduct.radius.server;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Remembers the latest requests and their answers, to recognise copies (RFC 5080 section 2.2.2).
/// Not thread-safe.
final class RecentRequests {
  /// Identity of a request: source address and port, identifier and Request Authenticator.
  record Key(InetSocketAddress sender, int identifier, ByteBuffer authenticator) {
    static Key of(InetSocketAddress sender, byte[] octets) {
      return new Key(
          sender,
          Byte.toUnsignedInt(octets[1]),
          ByteBuffer.wrap(Arrays.copyOfRange(octets, 4, 20)));
    }
  }

  /// A request.
  ///
  /// @param response null while the request is processed
  record Entry(Instant at, byte @Nullable [] response) {}

  private final Duration time;
  private final int most;
  private final Map<Key, Entry> entries = new LinkedHashMap<>();

  RecentRequests(Duration time, int most) {
    this.time = time;
    this.most = most;
  }

  Optional<Entry> find(Key key) {
    return Optional.ofNullable(entries.get(key));
  }

  /// Remembers a request that is processed now, and forgets the oldest ones.
  void begin(Key key, Instant now) {
    var oldest = entries.values().iterator();
    Instant kept = now.minus(time);
    while (oldest.hasNext()) {
      Entry entry = oldest.next();
      if (entries.size() < most && !entry.at().isBefore(kept)) {
        break;
      }
      oldest.remove();
    }
    entries.put(key, new Entry(now, null));
  }

  /// Remembers the answer of a request, if the request is still known.
  void answered(Key key, byte[] response) {
    entries.computeIfPresent(key, (_, entry) -> new Entry(entry.at(), response));
  }

  /// Forgets a request that was not stored, so that its copy is processed.
  void forget(Key key) {
    entries.remove(key);
  }
}
