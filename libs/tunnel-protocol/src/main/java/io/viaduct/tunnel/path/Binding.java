package io.viaduct.tunnel.path;

import java.net.InetSocketAddress;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Holds the one address and port to which a SNAPT sends a session's datagrams.
///
/// The first authentic datagram sets the address. After that it moves only to an address that has
/// answered a challenge (docs/protocol.md "Binding"). At most four addresses are challenged at a
/// time, with one CHALLENGE per address and 50 ms, for 3 s.
public final class Binding {
  static final int CANDIDATES_MAX = 4;
  static final long CHALLENGE_SPACING_NS = 50_000_000;
  static final long CANDIDATE_KEPT_NS = 3_000_000_000L;

  /// Relation of a datagram's source address to the binding.
  public enum Source {
    /// The first address of the session: bound now.
    FIRST,
    BOUND,
    /// Another address, which needs no CHALLENGE now.
    ELSEWHERE,
    /// Another address: the caller sends it a CHALLENGE with [#nonce].
    CHALLENGE,
    /// Another address, which cannot be challenged: four others are being challenged.
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

  /// Returns the bound address, null before the first datagram.
  public @Nullable InetSocketAddress address() {
    return address;
  }

  /// Returns the nonce of the challenge that [#heard] has asked for.
  public long nonce() {
    return nonce;
  }

  /// Takes the source address of an authentic datagram that was not replayed.
  ///
  /// @param newest true if its sequence is the highest so far
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

  /// Takes a RESPONSE. @return true if the binding moved to the address that sent it
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
