package io.viaduct.tunnel.path;

/// Finds the largest outer IP packet that a path carries, one direction of it, by padded probes and
/// without ICMP (RFC 8899). Time is passed in; sizes are bytes of the outer IP packet.
///
/// - Opening: base (1280) and the largest allowed size are probed at once. Until their first answer
///   is due, the largest size is used: most paths carry it, and whoever is told a smaller one
///   remembers that for minutes.
/// - Searching: the base if it is not confirmed, then the largest size, then halving; below the
///   base only if three probes of it are lost. Confirmed is what an answer has named, refused what
///   three probes did not bring, or the kernel.
/// - Complete: while receipts say that large datagrams arrive, nothing is asked. When they leave
///   and do not arrive, the size is probed again, once for 64 of them at most, and after ten
///   minutes of use what is larger is tried again (RFC 8899 sections 5.1.1 and 4.3). In silence
///   nothing is sent.
/// - A peer that answers no probe at all is sent the largest size, as if there was no search.
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

  /// Nothing is searched before [#restart].
  ///
  /// @param most the smaller of both ends' `path-mtu`, at least 576
  public PathMtuSearch(int most) {
    if (most < LEAST) {
      throw new IllegalArgumentException("path MTU is %d, must be at least 576".formatted(most));
    }
    this.most = most;
    refused = most + 1;
  }

  /// A path answers, of which nothing is known.
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

  /// There is no path to search at this moment.
  public void suspend() {
    dueNs = NEVER;
    raiseNs = NEVER;
    trying = 0;
    confirmed = 0;
    trusting = true;
  }

  /// What datagrams may have now.
  public int size() {
    if (trusting) {
      return most;
    }
    return confirmed > 0 ? confirmed : refused > BASE ? Math.min(BASE, most) : LEAST;
  }

  /// Whether nothing is searched at this moment.
  public boolean isComplete() {
    return trying == 0;
  }

  /// How often the size that was in use came through no more.
  public long blackHoles() {
    return blackHoles;
  }

  /// The size of a probe that must leave now, 0 if none; to be asked until it is.
  ///
  /// @param roundTripNs an answer may take three of them
  public int tick(long nowNs, long roundTripNs) {
    if (nowNs < dueNs) {
      return 0;
    }
    if (opening) {
      opening = false;
      return BASE;
    } else if (tries > 0 && trusting && confirmed < trying) {
      trusting = false; // the first answer is overdue: what is certain, from now on
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

  /// A probe of this size has arrived. One that comes late counts as well.
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

  /// The kernel refuses this size on the way out (EMSGSIZE): no probe is needed to know it.
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

  /// The other direction of the path carries less than this one was found to: confirmed anew, even
  /// if nobody uses it, once a second at most.
  public void suspect(long nowNs) {
    if (trying == 0 && confirmed > 0 && nowNs >= suspectNs) {
      suspectNs = nowNs + SUSPECT_NS;
      confirm(nowNs);
    }
  }

  /// Datagrams have left.
  ///
  /// @param size of the largest
  public void sent(int size, int datagrams, long nowNs) {
    if (size > size() - (size() >> 2)) {
      credit = Math.min(CREDIT_MAX, credit + datagrams);
      unproven.sent(size, datagrams, nowNs);
      if (trying == 0 && (nowNs >= raiseNs || unproven.isDoubtful())) {
        again(nowNs);
      }
    }
  }

  /// The peer says what has arrived.
  ///
  /// @param largest of those datagrams
  public void arrived(int largest) {
    unproven.arrived(largest);
  }

  private void attempt(int size, long nowNs) {
    trying = size;
    tries = 0;
    dueNs = nowNs;
  }

  /// Complete, and the size is in use: might it be more, is it still right?
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
    if (trying == confirmed) { // it may come back: nothing above the base is refused for good
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
      trusting = confirmed == 0; // nothing was ever answered: there may be nobody who could
      trying = 0;
      dueNs = NEVER;
      if (confirmed == most) {
        raiseNs = NEVER;
      } else if (raiseNs == NEVER || nowNs >= raiseNs) {
        raiseNs = nowNs + RAISE_NS;
      }
    }
  }

  /// When [#tick] has something to do next.
  public long nextTickNs() {
    return dueNs;
  }
}
