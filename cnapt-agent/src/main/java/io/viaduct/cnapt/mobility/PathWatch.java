package io.viaduct.cnapt.mobility;

/// Decides when the path to the SNAPT is probed and when it is dead. Owner: the data path's event
/// loop, which passes the time in and asks [#tick] until [#nextTickNs].
///
/// - After a change of network a probe leaves at once and is repeated after 20, 40, 80 … ms until
///   the first answer: the probe itself is what tells the SNAPT the new address.
/// - While packets leave and no fresh stamp on data tells the delay, one leaves per probe interval.
/// - When data from the SNAPT stop, a probe leaves one interval later: they may have ended, or come
///   through no more.
/// - Otherwise the spacing doubles up to the silent interval.
/// - Unanswered ones shorten the spacing again; enough of them in a row and the path is dead,
///   although the link is up. A dead path is probed on, with doubling pauses.
public final class PathWatch {
  /// What the owner shall do now.
  public enum Decision {
    WAIT,
    PROBE,
    /// Probe, and tell everybody that the path has died: control connection and registration are to
    /// be made again.
    PROBE_AND_REPORT_DEAD
  }

  // A reply may take this many smoothed round trips before it counts as lost, and at least this
  // long.
  private static final int REPLY_ROUND_TRIPS_MAX = 4;
  private static final long REPLY_NS_MIN = 100_000_000;

  // Longest pause on a dead path, however rarely a living one is probed.
  private static final long DEAD_NS_MAX = 10_000_000_000L;

  private final long probeIntervalNs;
  private final long silentIntervalNs;
  private final long deadIntervalNs;
  private final long firstRetryNs;
  private final int lossesUntilDead;

  private long spacingNs;
  private long retryNs;
  private long nextProbeNs;
  private long replyDueNs = Long.MAX_VALUE;
  private long silenceDueNs = Long.MAX_VALUE;
  private long roundTripNs;
  private long lastSentNs = Long.MIN_VALUE / 2;
  private long lastStampNs = Long.MIN_VALUE / 2;
  private int losses;
  private boolean searching;
  private boolean dead;

  /// @param nowNs when watching begins; the first probe is due then
  public PathWatch(MobilitySettings settings, long nowNs) {
    probeIntervalNs = settings.probeInterval().toNanos();
    silentIntervalNs = settings.silentInterval().toNanos();
    deadIntervalNs =
        Math.clamp(silentIntervalNs, probeIntervalNs, Math.max(probeIntervalNs, DEAD_NS_MAX));
    firstRetryNs = settings.firstRetry().toNanos();
    lossesUntilDead = settings.lossesUntilDead();
    networkChanged(nowNs);
  }

  /// The network under the path is another one, or may be.
  public void networkChanged(long nowNs) {
    searching = true;
    retryNs = firstRetryNs;
    nextProbeNs = nowNs;
    losses = 0;
    replyDueNs = Long.MAX_VALUE;
    silenceDueNs = Long.MAX_VALUE;
  }

  /// A packet of the device has left.
  public void sent(long nowNs) {
    lastSentNs = nowNs;
    if (!searching && spacingNs > probeIntervalNs && !stampIsFresh(nowNs)) {
      spacingNs = probeIntervalNs;
      nextProbeNs = Math.min(nextProbeNs, nowNs + probeIntervalNs);
    }
  }

  /// An authentic datagram with a stamp has come: the path lives and its delay is known.
  public void stampArrived(long nowNs) {
    lastStampNs = nowNs;
    if (!searching) {
      losses = 0;
      silenceDueNs = nowNs + probeIntervalNs;
    }
  }

  /// A probe was answered.
  ///
  /// @param smoothedRoundTripNs how long an answer takes
  /// @return whether it was the first answer after a change or a death
  public boolean answered(long nowNs, long smoothedRoundTripNs) {
    boolean found = searching;
    roundTripNs = smoothedRoundTripNs;
    searching = false;
    dead = false;
    losses = 0;
    replyDueNs = Long.MAX_VALUE;
    if (found) {
      spacingNs = probeIntervalNs;
      nextProbeNs = nowNs + spacingNs;
    }
    return found;
  }

  /// What is to be done at this time.
  public Decision tick(long nowNs) {
    if (searching) {
      return nowNs < nextProbeNs ? Decision.WAIT : retry(nowNs);
    }
    if (nowNs >= replyDueNs) {
      replyDueNs = Long.MAX_VALUE;
      if (!stampIsFresh(nowNs) && ++losses >= lossesUntilDead) {
        dead = true;
        networkChanged(nowNs);
        retry(nowNs);
        return Decision.PROBE_AND_REPORT_DEAD;
      }
      spacingNs = probeIntervalNs;
      return probe(nowNs);
    }
    if (nowNs >= silenceDueNs) {
      silenceDueNs = Long.MAX_VALUE;
      return probe(nowNs);
    }
    return nowNs < nextProbeNs ? Decision.WAIT : probe(nowNs);
  }

  private Decision retry(long nowNs) {
    nextProbeNs = nowNs + retryNs;
    // A path that stays silent is not worth fifty probes a second.
    retryNs = Math.min(retryNs * 2, dead ? deadIntervalNs : probeIntervalNs);
    return Decision.PROBE;
  }

  private Decision probe(long nowNs) {
    boolean blind = nowNs - lastSentNs < probeIntervalNs && !stampIsFresh(nowNs);
    boolean waiting = losses > 0;
    spacingNs = blind || waiting ? probeIntervalNs : Math.min(spacingNs * 2, silentIntervalNs);
    nextProbeNs = nowNs + spacingNs;
    if (replyDueNs == Long.MAX_VALUE) {
      replyDueNs = nowNs + Math.max(REPLY_NS_MIN, REPLY_ROUND_TRIPS_MAX * roundTripNs);
    }
    return Decision.PROBE;
  }

  private boolean stampIsFresh(long nowNs) {
    return nowNs - lastStampNs < probeIntervalNs;
  }

  /// When [#tick] has something to decide next.
  public long nextTickNs() {
    return searching ? nextProbeNs : Math.min(Math.min(nextProbeNs, silenceDueNs), replyDueNs);
  }

  /// Whether a change or a death has not been answered yet.
  public boolean searching() {
    return searching;
  }

  /// Whether too many probes in a row stayed unanswered.
  public boolean dead() {
    return dead;
  }
}
