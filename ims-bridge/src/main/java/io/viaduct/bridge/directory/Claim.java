package io.viaduct.bridge.directory;

import io.viaduct.usage.v1.SnaptStatus;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Who holds one SNAPT id, and who else wants it. Guarded by its [SnaptClaims].
final class Claim {
  /// Log lines about one holder: a machine that was cloned a hundred times needs no hundred.
  private static final int SAID_MAX = 8;

  /// A stream whose last status is known.
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
  @Nullable Instant askedAt; // when the owner was asked whether it lives
  long refused;
  @Nullable String refusedFrom;
  private final Set<String> said = new HashSet<>();

  /// Makes a party the holder; from here on refusals are said anew.
  void take(Party party) {
    owner = party;
    contender = null;
    askedAt = null;
    said.clear();
  }

  void countRefusal(Party other) {
    if (contender != null && contender.stream() == other.stream()) {
      contender = null;
      askedAt = null;
    }
    refused++;
    refusedFrom = host(other);
  }

  /// Whether a refusal of this host is to be logged: once per holder.
  boolean isNews(Party other) {
    return said.size() < SAID_MAX && said.add(host(other));
  }

  private static String host(Party party) {
    String peer = party.address();
    int colon = peer.lastIndexOf(':');
    return colon < 0 ? peer : peer.substring(0, colon);
  }
}
