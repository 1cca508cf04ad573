package io.viaduct.tunnel.path;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.BiPredicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Holds the addresses to which a SNAPT sends a session's datagrams: one per path.
///
/// The first authentic datagram of the session sets the address of its path, if it comes from the
/// host of the control connection. Any other address, and any later one, is bound only when it has
/// answered a challenge (docs/protocol.md "Binding"): whoever forwards the first PROBE before the
/// device would get the downlink. At most four addresses are challenged at a time, with one
/// CHALLENGE per address and 50 ms, for 3 s; one that has not answered for half a second gives way
/// to a new one. So a flood of datagrams from new addresses is answered by at most 80 small
/// datagrams a second, and stops no move for long. A CHALLENGE is sent only if as many bytes have
/// come from the address.
///
/// A socket may give equal addresses as different objects, one for each local address that the
/// device sends to, so that the answers leave from there. Another local address is challenged like
/// another address of the device: its NAT takes nothing from an address that it did not send to, so
/// an attacker who is faster than the device would stop its answers.
public final class Bindings {
  /// Path of an address that no message has named yet: the RESPONSE will name it.
  public static final int UNNAMED = -1;

  static final int CANDIDATES_MAX = 4;
  static final long CHALLENGE_SPACING_NS = 50_000_000;

  /// Time for which an address keeps its place against a new one.
  static final long CANDIDATE_ALONE_NS = 500_000_000;

  /// Relation of a datagram's source address to the bindings.
  public enum Source {
    /// The first address of the session, with the host of the control connection: bound now.
    FIRST,
    BOUND,
    /// Another address, which needs no CHALLENGE now, or has not sent enough for one.
    ELSEWHERE,
    /// Another address: the caller sends it a CHALLENGE with [#nonce].
    CHALLENGE,
    /// Another address, which cannot be challenged: four others have been for less than half a
    /// second.
    FULL
  }

  private final RandomGenerator random;
  private final BiPredicate<InetSocketAddress, InetSocketAddress> leaveAlike;
  private final @Nullable InetSocketAddress[] addresses;
  private int bound;
  private @Nullable InetAddress trusted; // of the control connection
  // Made for the first candidate: most sessions never have one.
  private @Nullable Candidate[] candidates = {};
  private long nonce;

  /// @param paths number of paths that the session may have
  /// @param leaveAlike returns whether datagrams to two equal addresses leave from the same local
  ///   address
  public Bindings(
      int paths,
      RandomGenerator random,
      BiPredicate<InetSocketAddress, InetSocketAddress> leaveAlike) {
    this.random = random;
    this.leaveAlike = leaveAlike;
    this.addresses = new InetSocketAddress[paths];
  }

  /// Sets the address of the control connection. The first address of the session is bound at once
  /// only if it has the same host; another one proves itself first, like every later one.
  public void bindAtOnceOnly(InetAddress from) {
    trusted = from;
  }

  /// Returns the address of a path, null if it has none.
  public @Nullable InetSocketAddress address(int path) {
    return addresses[path];
  }

  /// Returns whether any path has an address.
  public boolean isBound() {
    return bound > 0;
  }

  /// Returns the id of the path with this address, [#UNNAMED] if there is none.
  public int pathOf(InetSocketAddress from) {
    for (int i = 0; i < addresses.length; i++) {
      if (from.equals(addresses[i])) {
        return i;
      }
    }
    return UNNAMED;
  }

  /// Returns the nonce of the challenge that [#heard] has asked for.
  public long nonce() {
    return nonce;
  }

  /// Takes the source address of an authentic datagram that was not replayed.
  ///
  /// @param path the path that the datagram names, [#UNNAMED] if it names none
  /// @param newest true if its sequence, or the number of its probe, is the highest so far
  /// @param bytes of the datagram with its outer headers, which a new address may be sent; 0 if
  ///   they have been counted
  /// @param challengeBytes of a CHALLENGE to the address, with outer headers
  public Source heard(
      InetSocketAddress from, int path, boolean newest, int bytes, int challengeBytes, long nowNs) {
    if (bound == 0 && path != UNNAMED && isTrusted(from)) {
      bind(path, from);
      return Source.FIRST;
    }
    int known = pathOf(from);
    int named = path == UNNAMED ? known : path;
    if (known != UNNAMED && named == known && isSame(from, addresses[known])) {
      return Source.BOUND;
    }
    if (newest) {
      return challenge(from, named, bytes, challengeBytes, nowNs);
    }
    Candidate candidate = candidate(from);
    if (candidate != null) {
      candidate.receive(bytes);
    }
    return Source.ELSEWHERE;
  }

  private boolean isTrusted(InetSocketAddress from) {
    return trusted == null || trusted.equals(from.getAddress());
  }

  private boolean isSame(InetSocketAddress one, @Nullable InetSocketAddress other) {
    return one == other || one.equals(other) && leaveAlike.test(one, other);
  }

  private Source challenge(
      InetSocketAddress from, int path, int bytes, int challengeBytes, long nowNs) {
    if (candidates.length == 0) {
      candidates = new Candidate[CANDIDATES_MAX];
    }
    int slot = slotOf(from, nowNs);
    if (slot < 0) {
      return Source.FULL;
    }
    Candidate candidate = candidates[slot];
    if (candidate == null) {
      candidate = new Candidate(from, random.nextLong(), challengeBytes, nowNs);
      candidates[slot] = candidate;
      candidate.path = path;
    } else {
      candidate.path = path == UNNAMED ? candidate.path : path;
    }
    candidate.receive(bytes);
    if (!candidate.paysChallenge(nowNs)) {
      return Source.ELSEWHERE;
    }
    nonce = candidate.nonce;
    return Source.CHALLENGE;
  }

  /// Returns what is known of a new address, null if it is not challenged.
  public @Nullable Candidate candidate(InetSocketAddress address) {
    for (Candidate each : candidates) {
      if (each != null && isSame(address, each.address)) {
        return each;
      }
    }
    return null;
  }

  /// Returns the path that a new address has named, [#UNNAMED] before.
  public int pathOf(Candidate candidate) {
    return candidate.path;
  }

  /// Takes a RESPONSE. It binds the address that sent it, if that address was challenged with this
  /// nonce.
  ///
  /// @param path the path that the RESPONSE names
  /// @return true if the path has that address now
  public boolean answered(InetSocketAddress from, long response, int path, long nowNs) {
    for (Candidate each : candidates) {
      if (each != null
          && isSame(from, each.address)
          && each.nonce == response
          && (each.path == UNNAMED || each.path == path)
          && each.isOpen(nowNs)) {
        bind(path, from);
        return true;
      }
    }
    return false;
  }

  /// Takes the address of a path away, because the device has closed the path.
  public void release(int path) {
    if (addresses[path] != null) {
      addresses[path] = null;
      bound--;
    }
  }

  private void bind(int path, InetSocketAddress address) {
    int before = pathOf(address);
    if (before != UNNAMED) {
      release(before);
    }
    release(path);
    addresses[path] = address;
    bound++;
    for (int i = 0; i < candidates.length; i++) {
      Candidate each = candidates[i];
      if (each != null
          && (each.path == path || each.path == UNNAMED || address.equals(each.address))) {
        candidates[i] = null;
      }
    }
  }

  private int slotOf(InetSocketAddress from, long nowNs) {
    int free = -1;
    for (int i = 0; i < CANDIDATES_MAX; i++) {
      Candidate each = candidates[i];
      if (each != null && !each.isOpen(nowNs)) {
        candidates[i] = null;
        each = null;
      }
      if (each != null && isSame(from, each.address)) {
        return i;
      }
      if (each == null && free < 0) {
        free = i;
      }
    }
    return free < 0 ? slotOfOldest(nowNs) : free;
  }

  private int slotOfOldest(long nowNs) {
    int oldest = -1;
    long sinceNs = nowNs - CANDIDATE_ALONE_NS;
    for (int i = 0; i < CANDIDATES_MAX; i++) {
      Candidate each = candidates[i];
      if (each != null && each.sinceNs - sinceNs <= 0) {
        oldest = i;
        sinceNs = each.sinceNs;
      }
    }
    if (oldest >= 0) {
      candidates[oldest] = null;
    }
    return oldest;
  }
}
