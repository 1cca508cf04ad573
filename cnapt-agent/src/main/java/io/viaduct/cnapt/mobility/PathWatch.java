package io.viaduct.cnapt.mobility;

import io.viaduct.tunnel.pacing.ReceiptSchedule;

/// Decides when the path to the SNAPT is probed and when it is dead. Owner: the data path's event
/// loop, which passes the time in and asks [#tick] until [#nextTickNs].
///
/// - After a change of network a probe leaves at once and is repeated after 20, 40, 80 … ms until
///   the first answer: the probe itself is what tells the SNAPT the new address.
/// - When packets leave and nothing comes back for an interval, one leaves. If its answer is all
///   that comes, the traffic goes one way: the next leaves after five seconds without a datagram,
///   or when twice the bytes have left that the SNAPT should have sent a receipt for.
/// - When many data from the SNAPT stop, a probe leaves one interval later: they may have ended, or
///   come through no more.
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

  // Probe and answer are outer packets of 77 and 81 bytes (docs/protocol.md, section 4): 2 % of
  // this.
  private static final int MANY_BYTES = 8_000;
  private static final int RECEIPTS_BYTES = 2 * ReceiptSchedule.SPACING_BYTES;
  private static final long ONE_WAY_NS = 5_000_000_000L;
  private static final long NEVER = Long.MAX_VALUE;

  private final long probeIntervalNs;
  private final long oneWayNs;
  private final long silentIntervalNs;
  private final long deadIntervalNs;
  private final long firstRetryNs;
  private final int lossesUntilDead;

  private long spacingNs;
  private long retryNs;
  private long nextProbeNs;
  private long replyDueNs = NEVER;
  private long silenceDueNs = NEVER;
  private long roundTripNs;
  private long askedNs = NEVER; // the first packet that left since something came
  private long heardNs = Long.MIN_VALUE / 2;
  private long probedNs;
  private long arrived; // bytes since the last probe
  private long unheard; // bytes that left since something came
  private boolean oneWay; // a probe has asked, no packet for the device has come since
  private int losses;
  private boolean searching;
  private boolean dead;

  /// @param nowNs when watching begins; the first probe is due then
  public PathWatch(MobilitySettings settings, long nowNs) {
    probeIntervalNs = settings.probeInterval().toNanos();
    silentIntervalNs = settings.silentInterval().toNanos();
    oneWayNs = Math.clamp(ONE_WAY_NS, probeIntervalNs, silentIntervalNs);
    deadIntervalNs =
        Math.clamp(silentIntervalNs, probeIntervalNs, Math.max(probeIntervalNs, DEAD_NS_MAX));
    firstRetryNs = settings.firstRetry().toNanos();
    lossesUntilDead = settings.lossesUntilDead();
    probedNs = nowNs;
    networkChanged(nowNs);
  }

  /// The network under the path is another one, or may be.
  public void networkChanged(long nowNs) {
    searching = true;
    oneWay = false;
    retryNs = firstRetryNs;
    nextProbeNs = nowNs;
    losses = 0;
    replyDueNs = NEVER;
    silenceDueNs = NEVER;
  }

  /// A packet of the device has left.
  ///
  /// @param length of the IP packet in bytes
  public void sent(int length, long nowNs) {
    unheard += length;
    askedNs = Math.min(askedNs, nowNs);
  }

  /// Packets for the device have come, not only what the SNAPT itself has to say.
  public void delivered() {
    oneWay = false;
  }

  /// An authentic datagram has come, data or a receipt for some: the path lives.
  ///
  /// @param length of the datagram in bytes
  public void heard(int length, long nowNs) {
    arrived += length;
    unheard = 0;
    heardNs = nowNs;
    askedNs = NEVER;
    if (!searching) {
      losses = 0;
      silenceDueNs = arrived < MANY_BYTES ? NEVER : nowNs + probeIntervalNs;
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
    unheard = 0;
    askedNs = NEVER;
    replyDueNs = NEVER;
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
      replyDueNs = NEVER;
      if (nowNs - heardNs >= probeIntervalNs && ++losses >= lossesUntilDead) {
        dead = true;
        networkChanged(nowNs);
        retry(nowNs);
        return Decision.PROBE_AND_REPORT_DEAD;
      }
      spacingNs = probeIntervalNs;
      return probe(nowNs);
    }
    return nowNs < nextTickNs() ? Decision.WAIT : probe(nowNs);
  }

  private Decision retry(long nowNs) {
    nextProbeNs = nowNs + retryNs;
    // A path that stays silent is not worth fifty probes a second.
    retryNs = Math.min(retryNs * 2, dead ? deadIntervalNs : probeIntervalNs);
    return Decision.PROBE;
  }

  private Decision probe(long nowNs) {
    oneWay = askedNs != NEVER && (oneWay || nowNs >= askedDueNs());
    probedNs = nowNs;
    arrived = 0;
    silenceDueNs = NEVER;
    spacingNs = losses > 0 ? probeIntervalNs : Math.min(spacingNs * 2, silentIntervalNs);
    nextProbeNs = nowNs + spacingNs;
    if (replyDueNs == NEVER) {
      replyDueNs = nowNs + Math.max(REPLY_NS_MIN, REPLY_ROUND_TRIPS_MAX * roundTripNs);
    }
    return Decision.PROBE;
  }

  // When packets that nothing has answered make a probe due.
  private long askedDueNs() {
    if (askedNs == NEVER) {
      return NEVER;
    }
    long pauseNs = oneWay && unheard < RECEIPTS_BYTES ? oneWayNs : probeIntervalNs;
    return Math.max(askedNs + probeIntervalNs, Math.max(probedNs, heardNs) + pauseNs);
  }

  /// When [#tick] has something to decide next.
  public long nextTickNs() {
    return searching
        ? nextProbeNs
        : Math.min(Math.min(nextProbeNs, askedDueNs()), Math.min(silenceDueNs, replyDueNs));
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
