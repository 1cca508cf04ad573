package io.viaduct.tunnel.path;

/// Finds the largest outer IP packet that one direction of a path carries, by padded probes and
/// without ICMP (RFC 8899). Time is passed in; sizes are bytes of the outer IP packet.
///
/// - Opening: the base size (1280) and the largest allowed size are probed at once. Until the first
///   answer is due, the largest size is used. Most paths carry it, and a sender that is told a
///   smaller size remembers that for minutes.
/// - Searching: first the base if it is not confirmed, then the largest size, then halving. Sizes
///   below the base are tried only if three probes of the base are lost. An answer confirms a size.
///   Three lost probes or the kernel refuse a size.
/// - Complete: while receipts show that large datagrams arrive, no probe is sent. If large
///   datagrams leave but do not arrive, the size is probed again, at most once per 64 of them.
///   After ten minutes of use, larger sizes are tried again (RFC 8899 §5.1.1 and §4.3). An idle
///   session sends no probe.
/// - A peer that answers no probe at all is sent the largest size, as if there were no search.
///
/// Owner: the session's event loop.
public final class PathMtuSearch {
  public static final int BASE = 1280;
  public static final int LEAST = 576;
  static final int TRIES_MAX = 3;
  static final long ANSWER_NS_MIN = 250_000_000;
  static final long SUSPECT_NS = 1_000_000_000;
  static final long RAISE_NS = 600_000_000_000L;
  static final int DATAGRAMS_PER_PROBE = 64;
  private static final int CREDIT_MAX = 4 * DATAGRAMS_PER_PROBE;
  private static final long NEVER = Long.MAX_VALUE;

  private final int most;
  private int confirmed;
  private int refused;
  private boolean trusting = true;
  private boolean opening;
  private int trying;
  private int tries;
  private long dueNs = NEVER;
  private int credit;
  private final UnprovenSize unproven = new UnprovenSize();
  private long raiseNs = NEVER;
  private long suspectNs;
  private long blackHoles;

  /// Creates a search that begins with [#restart].
  ///
  /// @param most the smaller of both ends' `path-mtu`, at least 576
  public PathMtuSearch(int most) {
    if (most < LEAST) {
      throw new IllegalArgumentException("path MTU is %d, must be at least 576".formatted(most));
    }
    this.most = most;
    refused = most + 1;
  }

  /// Begins the search anew: a path answers, and its size is unknown.
  public void restart(long nowNs) {
    confirmed = 0;
    refused = most + 1;
    trusting = true;
    opening = most > BASE;
    credit = CREDIT_MAX;
    unproven.clear();
    suspectNs = nowNs;
    raiseNs = NEVER;
    attempt(most, nowNs);
  }

  /// Stops the search: there is no path at this moment.
  public void suspend() {
    dueNs = NEVER;
    raiseNs = NEVER;
    trying = 0;
    confirmed = 0;
    trusting = true;
  }

  /// Returns the largest size that datagrams may have now.
  public int size() {
    if (trusting) {
      return most;
    }
    return confirmed > 0 ? confirmed : refused > BASE ? Math.min(BASE, most) : LEAST;
  }

  /// Returns whether no search is running.
  public boolean isComplete() {
    return trying == 0;
  }

  /// Returns the number of times that the size in use was lost.
  public long blackHoles() {
    return blackHoles;
  }

  /// Returns the size of a probe that must leave now, 0 if none. The caller repeats the call until
  /// it returns 0.
  ///
  /// @param roundTripNs round trip of the path; an answer may take three round trips
  public int tick(long nowNs, long roundTripNs) {
    if (nowNs < dueNs) {
      return 0;
    }
    if (opening) {
      opening = false;
      return BASE;
    } else if (tries > 0 && trusting && confirmed < trying) {
      trusting = false; // the first answer is overdue: use only confirmed sizes now
      if (confirmed == 0 && trying > BASE) {
        attempt(BASE, nowNs);
      }
    }
    if (tries == TRIES_MAX) {
      lost(nowNs);
    }
    if (nowNs < dueNs) {
      return 0;
    }
    tries++;
    dueNs = nowNs + Math.max(ANSWER_NS_MIN, 3 * roundTripNs);
    return trying;
  }

  /// Takes the answer to a probe of this size. A late answer counts as well.
  public void acknowledged(int size, long nowNs) {
    if (size < LEAST || size > most) {
      return;
    }
    confirmed = Math.max(confirmed, size);
    refused = Math.max(refused, confirmed + 1);
    trusting &= confirmed < most;
    unproven.arrived(size);
    if (trying != 0 && confirmed >= trying) {
      next(nowNs);
    }
  }

  /// Takes the kernel's refusal to send this size (EMSGSIZE), which needs no probe.
  public void tooBig(int size, long nowNs) {
    if (size > LEAST && size < refused) {
      refused = size;
      trusting = false;
      if (confirmed >= size) {
        confirmed = 0;
        blackHoles++;
      }
      if (trying == 0 || trying >= size) {
        next(nowNs);
      }
    }
  }

  /// Confirms the size anew, even if it is not in use, at most once a second. The caller has found
  /// that the other direction of the path carries less than this one.
  public void suspect(long nowNs) {
    if (trying == 0 && confirmed > 0 && nowNs >= suspectNs) {
      suspectNs = nowNs + SUSPECT_NS;
      confirm(nowNs);
    }
  }

  /// Counts datagrams that have left.
  ///
  /// @param size size of the largest
  public void sent(int size, int datagrams, long nowNs) {
    if (size > size() - (size() >> 2)) {
      credit = Math.min(CREDIT_MAX, credit + datagrams);
      unproven.sent(size, datagrams, nowNs);
      if (trying == 0 && (nowNs >= raiseNs || unproven.isDoubtful())) {
        again(nowNs);
      }
    }
  }

  /// Takes the peer's receipt.
  ///
  /// @param largest size of the largest datagram that arrived
  public void arrived(int largest) {
    unproven.arrived(largest);
  }

  private void attempt(int size, long nowNs) {
    trying = size;
    tries = 0;
    dueNs = nowNs;
  }

  /// Tries larger sizes, or confirms the size in use anew, after the search was complete.
  private void again(long nowNs) {
    if (nowNs >= raiseNs && confirmed == 0) {
      restart(nowNs);
    } else if (nowNs >= raiseNs) {
      refused = most + 1;
      next(nowNs);
    } else if (confirmed > 0 && credit >= DATAGRAMS_PER_PROBE) {
      credit -= DATAGRAMS_PER_PROBE;
      confirm(nowNs);
    }
  }

  private void confirm(long nowNs) {
    unproven.clear();
    attempt(confirmed, nowNs);
  }

  private void lost(long nowNs) {
    if (trying == confirmed) { // the path may recover: no size above the base is refused for good
      blackHoles++;
      confirmed = 0;
      refused = trying > BASE ? most + 1 : trying;
    } else {
      refused = Math.min(refused, trying);
    }
    next(nowNs);
  }

  private void next(long nowNs) {
    if (confirmed == 0 && refused > LEAST) {
      attempt(refused > BASE ? Math.min(BASE, most) : LEAST, nowNs);
    } else if (refused - confirmed > 1 && confirmed > 0) {
      attempt(refused > most ? most : confirmed + (refused - confirmed) / 2, nowNs);
    } else {
      trusting = confirmed == 0; // no answer at all: the peer may not know these probes
      trying = 0;
      dueNs = NEVER;
      if (confirmed == most) {
        raiseNs = NEVER;
      } else if (raiseNs == NEVER || nowNs >= raiseNs) {
        raiseNs = nowNs + RAISE_NS;
      }
    }
  }

  /// Returns the time at which [#tick] must be called next.
  public long nextTickNs() {
    return dueNs;
  }
}
