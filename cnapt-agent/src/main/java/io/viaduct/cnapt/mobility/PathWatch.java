package io.viaduct.cnapt.mobility;

import io.viaduct.tunnel.pacing.ReceiptSchedule;

/// Decides when the path to the SNAPT is probed and when it is dead. Owner: the data path's event
/// loop, which passes the time as an argument and calls [#tick] at [#nextTickNs].
///
/// - After a change of network, a probe is sent at once. It is repeated after 20, 40, 80 … ms until
///   the first answer. The SNAPT learns the new address from the probe. The longest pause depends
///   on the need for the path, see [Need].
/// - If packets were sent and nothing arrives for one probe interval, a probe is sent. If only its
///   answer arrives, the traffic is one-way. The next probe then follows after five seconds without
///   a datagram. It follows earlier if twice the bytes were sent for which the SNAPT should have
///   sent a receipt.
/// - If a fast stream from the SNAPT stops, a probe is sent one interval later, because the stream
///   may have ended or the path may be dead.
/// - Otherwise the time between probes doubles, up to the silent interval.
/// - Unanswered probes shorten the time again. After enough of them in a row, the path is dead
///   although the link is up. A dead path is still probed, with doubling pauses.
public final class PathWatch {
  /// The action that the owner must take now.
  public enum Decision {
    WAIT,
    PROBE,
    /// Send a probe, and report the path as dead. The control connection and the registration must
    /// be renewed.
    PROBE_AND_REPORT_DEAD
  }

  /// Need for a path that does not answer. It bounds the pauses between the probes of a search.
  public enum Need {
    /// No other path is alive: the pauses grow to the probe interval, or to ten seconds for a path
    /// that was found dead.
    ONLY,
    /// Another path is alive: the pauses grow to ten seconds.
    FURTHER,
    /// Another path is alive, and this one is a spare: the pauses grow to the silent interval, as
    /// for a spare path that answers.
    SPARE
  }

  // A reply counts as lost after this many smoothed round trips, but not before the minimum time
  // below.
  private static final int REPLY_ROUND_TRIPS_MAX = 4;
  private static final long REPLY_NS_MIN = 100_000_000;

  // Longest time between probes of a path that does not answer, if it is no spare.
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
  private long askedNs = NEVER; // time of the first packet sent since the last arrival
  private long heardNs = Long.MIN_VALUE / 2;
  private long probedNs;
  private long arrived; // bytes received since the last probe
  private long unheard; // bytes sent since the last arrival
  private boolean oneWay; // a probe was answered, and no packet for the device has arrived since
  private int losses;
  private boolean searching;
  private boolean dead;
  private Need need = Need.ONLY;

  /// @param nowNs start time; the first probe is due then
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

  /// Records a possible change of network.
  public void networkChanged(long nowNs) {
    searching = true;
    oneWay = false;
    retryNs = firstRetryNs;
    nextProbeNs = nowNs;
    losses = 0;
    replyDueNs = NEVER;
    silenceDueNs = NEVER;
  }

  /// Sets the need for the path. If no other path is alive any more, the search begins anew.
  public void needed(Need next, long nowNs) {
    if (next == need) {
      return;
    }
    need = next;
    if (next == Need.ONLY) {
      retryNs = firstRetryNs;
    }
    if (searching) {
      long pauseNs = next == Need.ONLY ? 0 : retryNsMax();
      nextProbeNs = Math.min(nextProbeNs, nowNs + pauseNs);
    }
  }

  private long retryNsMax() {
    return switch (need) {
      case ONLY -> dead ? deadIntervalNs : probeIntervalNs;
      case FURTHER -> deadIntervalNs;
      case SPARE -> silentIntervalNs;
    };
  }

  /// Records that traffic has left the path, because it is silent. It is still probed, with
  /// doubling pauses.
  public void left(long nowNs) {
    dead = true;
    networkChanged(nowNs + firstRetryNs);
  }

  /// Records a sent packet of the device.
  ///
  /// @param length of the IP packet in bytes
  public void sent(int length, long nowNs) {
    unheard += length;
    askedNs = Math.min(askedNs, nowNs);
  }

  /// Records packets for the device, as opposed to messages of the SNAPT itself.
  public void delivered() {
    oneWay = false;
  }

  /// Records an authentic datagram, which proves that the path is alive.
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

  /// Records the answer to a probe.
  ///
  /// @param smoothedRoundTripNs smoothed round trip of the probes
  /// @return true if it was the first answer after a change of network or a dead path
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

  /// Returns the action for this time.
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
    // A path that stays silent must not get fifty probes per second.
    retryNs = Math.min(retryNs * 2, retryNsMax());
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

  // Returns the time at which unanswered packets make a probe due.
  private long askedDueNs() {
    if (askedNs == NEVER) {
      return NEVER;
    }
    long pauseNs = oneWay && unheard < RECEIPTS_BYTES ? oneWayNs : probeIntervalNs;
    return Math.max(askedNs + probeIntervalNs, Math.max(probedNs, heardNs) + pauseNs);
  }

  /// Returns the time of the next decision of [#tick].
  public long nextTickNs() {
    return searching
        ? nextProbeNs
        : Math.min(Math.min(nextProbeNs, askedDueNs()), Math.min(silenceDueNs, replyDueNs));
  }

  /// Returns true if a search for the path is due to send its next probe.
  public boolean isRetryDue(long nowNs) {
    return searching && nowNs >= nextProbeNs;
  }

  /// Returns true if there was no answer since the last change of network or since the path was
  /// dead.
  public boolean isSearching() {
    return searching;
  }

  /// Returns true if too many probes in a row were not answered.
  public boolean isDead() {
    return dead;
  }
}
