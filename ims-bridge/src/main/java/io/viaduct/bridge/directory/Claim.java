package io.viaduct.bridge.directory;

import io.viaduct.usage.v1.SnaptStatus;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The process that holds one SNAPT id, and the process that also announces it. Guarded by its
/// [SnaptClaims].
final class Claim {
  /// Most log lines about one holder, so that a machine cloned a hundred times does not log a
  /// hundred lines.
  private static final int LOGGED_MAX = 8;

  /// A process that announces the id: its stream and its last status.
  record Party(Announcer stream, SnaptStatus status) {
    long epoch() {
      return status.getEpoch();
    }

    String address() {
      return stream.peer();
    }
  }

  @Nullable Party owner;
  @Nullable Party contender;
  @Nullable Instant askedAt; // when the owner was last probed
  @Nullable Instant leftAt; // when the stream of the last owner ended; null once that was told
  long refused;
  @Nullable String refusedFrom;
  private final Set<String> logged = new HashSet<>();

  /// Makes a party the holder. Refusals are then logged again.
  void take(Party party) {
    owner = party;
    contender = null;
    askedAt = null;
    leftAt = null;
    logged.clear();
  }

  void countRefusal(Party other) {
    if (contender != null && contender.stream() == other.stream()) {
      contender = null;
      askedAt = null;
    }
    refused++;
    refusedFrom = host(other);
  }

  /// Returns whether to log a refusal of this host: once per holder.
  boolean isFirstRefusal(Party other) {
    return logged.size() < LOGGED_MAX && logged.add(host(other));
  }

  private static String host(Party party) {
    String peer = party.address();
    int colon = peer.lastIndexOf(':');
    return colon < 0 ? peer : peer.substring(0, colon);
  }
}
