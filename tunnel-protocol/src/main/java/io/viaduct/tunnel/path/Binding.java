package io.viaduct.tunnel.path;

import java.net.InetSocketAddress;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Where a SNAPT sends a session's datagrams: one address and port. The first authentic datagram
/// sets it; after that it moves only to an address that has answered a challenge (docs/protocol.md
/// "Binding"). At most four addresses are being challenged, one CHALLENGE per address and 50 ms,
/// for 3 s.
public final class Binding {
  static final int CANDIDATES_MAX = 4;
  static final long CHALLENGE_SPACING_NS = 50_000_000;
  static final long CANDIDATE_KEPT_NS = 3_000_000_000L;

  /// What a datagram's source means.
  public enum Source {
    /// The first address of the session: bound now.
    FIRST,
    BOUND,
    /// Somewhere else, and nothing is to be sent now.
    ELSEWHERE,
    /// Somewhere else: send a CHALLENGE with [#nonce] there.
    CHALLENGE,
    /// Somewhere else, and no room to challenge it.
    FULL
  }

  private final RandomGenerator random;
  private final @Nullable InetSocketAddress[] candidates = new InetSocketAddress[CANDIDATES_MAX];
  private final long[] nonces = new long[CANDIDATES_MAX];
  private final long[] sinceNs = new long[CANDIDATES_MAX];
  private final long[] challengedNs = new long[CANDIDATES_MAX];
  private @Nullable InetSocketAddress address;
  private long nonce;

  public Binding(RandomGenerator random) {
    this.random = random;
  }

  /// The bound address, null before the first datagram.
  public @Nullable InetSocketAddress address() {
    return address;
  }

  /// Nonce of the challenge that [#heard] has asked for.
  public long nonce() {
    return nonce;
  }

  /// An authentic datagram that was not replayed came from here.
  ///
  /// @param newest whether its sequence is above all before it
  public Source heard(InetSocketAddress from, boolean newest, long nowNs) {
    if (address == null) {
      address = from;
      return Source.FIRST;
    }
    if (address.equals(from)) {
      return Source.BOUND;
    }
    if (!newest) {
      return Source.ELSEWHERE;
    }
    int slot = slotOf(from, nowNs);
    if (slot < 0) {
      return Source.FULL;
    }
    if (candidates[slot] == null || !from.equals(candidates[slot])) {
      candidates[slot] = from;
      nonces[slot] = random.nextLong();
      sinceNs[slot] = nowNs;
    } else if (nowNs - challengedNs[slot] < CHALLENGE_SPACING_NS) {
      return Source.ELSEWHERE;
    }
    challengedNs[slot] = nowNs;
    nonce = nonces[slot];
    return Source.CHALLENGE;
  }

  /// A RESPONSE came. @return whether it moved the binding to where it came from
  public boolean answered(InetSocketAddress from, long response, long nowNs) {
    for (int i = 0; i < CANDIDATES_MAX; i++) {
      if (from.equals(candidates[i])
          && nonces[i] == response
          && nowNs - sinceNs[i] <= CANDIDATE_KEPT_NS) {
        address = from;
        for (int j = 0; j < CANDIDATES_MAX; j++) {
          candidates[j] = null;
        }
        return true;
      }
    }
    return false;
  }

  private int slotOf(InetSocketAddress from, long nowNs) {
    int free = -1;
    for (int i = 0; i < CANDIDATES_MAX; i++) {
      if (candidates[i] != null && nowNs - sinceNs[i] > CANDIDATE_KEPT_NS) {
        candidates[i] = null;
      }
      if (from.equals(candidates[i])) {
        return i;
      }
      if (candidates[i] == null && free < 0) {
        free = i;
      }
    }
    return free;
  }
}
