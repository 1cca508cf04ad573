package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.PeerFlowStats;
import io.viaduct.usage.v1.DelaySource;

/// One-way delay of a flow in an interval: path delay of the stamped packets plus mean wait in the
/// sender's aggregator, both directions weighted by their packets.
///
/// If an interval has no measurement, the delay is taken from the flow's last good interval, which
/// may be three intervals old. If there is none, it is half the round trip of the probes. Otherwise
/// it is missing. A mean between −5 ms and 0 is an error of the clock offset and counts as 0. A
/// lower mean counts as not measured.
///
/// The delays of both directions are the device's word. So the path's part is at most the round
/// trip that the SNAPT has measured itself, and the wait at the device what its own waiting times
/// allow: a device that claims a long wait claims a busy flow, which has the highest price.
final class FlowDelay {
  private static final double US_PER_MS = 1_000.0;
  private static final double SKEW_MS_MAX = 5.0;

  /// Jitter between the round trip that was measured and those of the flow's packets.
  private static final double JITTER_MS = 5.0;

  /// Longest mean wait of packets for their compound.
  private static final double COMPOUND_MS_MAX = 50.0;

  /// Longest wait of packets for the path: what a queue of the device holds (SessionPacing).
  private static final double QUEUE_MS_MAX = 200.0;

  private static final int LAST_GOOD_INTERVALS_MAX = 3;

  private long upSamples;
  private long upSumUs;
  private long upSent;
  private long upWaitUs;
  private long upWaitedUs;
  private long downSamples;
  private long downSumUs;
  private long downPackets;
  private long downWaitUs;
  private double measuredMs = Double.NaN;
  private double measuredErrorMs = Double.NaN;
  private double lastGoodMs = Double.NaN;
  private double lastGoodErrorMs = Double.NaN;
  private int lastGoodAge;

  /// A delay, the bound on its error in ms, and its source. The values have no meaning if the
  /// source is MISSING; the bound is NaN if it is not known.
  record Mean(double delayMs, double errorMs, DelaySource source) {}

  /// Returns the delay of the open interval.
  ///
  /// @param packetsUp packets of the interval from the device; packetsDown those to it
  Mean mean(FlowState flow, long packetsUp, long packetsDown, MeasuredPath path, long intervalNs) {
    double pathMsMax = pathMsMax(path);
    PeerFlowStats peer = flow.peer();
    FlowCounters received = flow.received();
    FlowCounters sent = flow.sent();
    double up =
        oneWayMs(
            received.delaySamples() - upSamples,
            received.delaySumUs() - upSumUs,
            peer.sentPackets() - upSent,
            peer.waitUs() - upWaitUs,
            pathMsMax,
            deviceWaitMsMax(flow, path, intervalNs));
    double down =
        oneWayMs(
            peer.delaySamples() - downSamples,
            peer.delaySumUs() - downSumUs,
            sent.packets() - downPackets,
            sent.waitUs() - downWaitUs,
            pathMsMax,
            Double.POSITIVE_INFINITY);
    measuredMs = weighted(up, packetsUp, down, packetsDown);
    if (!Double.isNaN(measuredMs)) {
      measuredErrorMs = path.delayErrorUs() / US_PER_MS;
      return new Mean(measuredMs, measuredErrorMs, DelaySource.MEASURED);
    }
    if (!Double.isNaN(lastGoodMs) && lastGoodAge <= LAST_GOOD_INTERVALS_MAX) {
      return new Mean(lastGoodMs, lastGoodErrorMs, DelaySource.LAST_GOOD);
    }
    double halfMs = Math.min(pathMsMax, path.roundTripUs() / 2 / US_PER_MS); // NaN stays
    return Double.isNaN(halfMs)
        ? new Mean(0, Double.NaN, DelaySource.MISSING)
        : new Mean(halfMs, halfMs, DelaySource.HALF_CONTROL_RTT);
  }

  private static double pathMsMax(MeasuredPath path) {
    if (Double.isNaN(path.ownRoundTripUs())) {
      return Double.POSITIVE_INFINITY;
    }
    double errorUs = Double.isNaN(path.delayErrorUs()) ? 0 : path.delayErrorUs();
    // The error bound is half of a round trip that the device tells, so it is not believed either.
    double boundUs = path.ownRoundTripUs() + Math.min(errorUs, path.ownRoundTripUs() / 2);
    return boundUs / US_PER_MS + JITTER_MS;
  }

  private double deviceWaitMsMax(FlowState flow, MeasuredPath path, long intervalNs) {
    double waited = (flow.peerWaitedUs() - upWaitedUs) * 1000.0 / Math.max(1, intervalNs);
    double busy = path.up() == null ? 1 : Math.clamp(waited, 0.0, 1.0);
    return COMPOUND_MS_MAX + QUEUE_MS_MAX * busy;
  }

  private static double oneWayMs(
      long samples, long sumUs, long packets, long waitUs, double pathMsMax, double waitMsMax) {
    if (samples <= 0) {
      return Double.NaN;
    }
    double waitMs = packets > 0 ? Math.max(0, waitUs) / US_PER_MS / packets : 0;
    double ms = Math.min(pathMsMax, sumUs / US_PER_MS / samples) + Math.min(waitMsMax, waitMs);
    return ms >= -SKEW_MS_MAX ? Math.max(0, ms) : Double.NaN;
  }

  private static double weighted(double up, long packetsUp, double down, long packetsDown) {
    if (Double.isNaN(up) || packetsUp == 0 && !Double.isNaN(down)) {
      return down;
    }
    if (Double.isNaN(down) || packetsDown == 0) {
      return up;
    }
    return (up * packetsUp + down * packetsDown) / (packetsUp + packetsDown);
  }

  /// Returns the interarrival jitter at the end of the interval, in ms, weighted like the delay.
  double jitterMs(FlowState flow, long packetsUp, long packetsDown) {
    double up = flow.received().jitterUs() / US_PER_MS;
    double down = flow.peer().jitterUs() / US_PER_MS;
    long packets = packetsUp + packetsDown;
    return packets == 0 ? 0 : (up * packetsUp + down * packetsDown) / packets;
  }

  /// Starts the next interval.
  void roll(FlowState flow) {
    if (Double.isNaN(measuredMs)) {
      lastGoodAge++;
    } else {
      lastGoodMs = measuredMs;
      lastGoodErrorMs = measuredErrorMs;
      lastGoodAge = 1;
    }
    measuredMs = Double.NaN;
    upSamples = flow.received().delaySamples();
    upSumUs = flow.received().delaySumUs();
    upSent = flow.peer().sentPackets();
    upWaitUs = flow.peer().waitUs();
    upWaitedUs = flow.peerWaitedUs();
    downSamples = flow.peer().delaySamples();
    downSumUs = flow.peer().delaySumUs();
    downPackets = flow.sent().packets();
    downWaitUs = flow.sent().waitUs();
  }
}
