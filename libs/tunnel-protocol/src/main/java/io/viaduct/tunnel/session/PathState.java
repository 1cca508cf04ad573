package io.viaduct.tunnel.session;

import io.viaduct.tunnel.path.LossSample;
import io.viaduct.tunnel.path.ProbeCounts;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// State of one path of a session at this end.
///
/// @param use decided by the device
/// @param link name of the device's link, [io.viaduct.tunnel.wire.LinkName#UNKNOWN] if the device
///   has not told it
/// @param address address of the SNAPT's datagrams on this path; null at the device, and before the
///   path is bound
/// @param roundTripUs smoothed round trip in µs; NaN before the first measurement
/// @param countedDelayUs delay by which low-delay classes choose: the round trip, and 10 ms for
///   each percent of loss of about the last second; NaN before the first measurement
/// @param clockOffsetUs the peer's clock minus ours as this path has measured it, in µs; NaN before
///   the first measurement
/// @param delayErrorUs bound on the error of a one-way delay by that offset, in µs: half the round
///   trip of the measurement; NaN before the first one
/// @param pathMtu size of the largest outer IP packet that leaves now, in bytes
/// @param usualRoundTripUs round trip of about the last minute, at the prober, and where it shares
///   it; NaN before the first measurement
/// @param lossRatio share of what left here that was lost in about the last second
/// @param lossToHereRatio the same of what left the peer
/// @param lossSample newest sample of what left here, which does not fade; null before the first
///   one
/// @param lossToHereSample the same of what left the peer
/// @param usualLossRatio greater of both shares in about the last ten seconds
/// @param sentBitPerSecond rate at which outer IP packets left in about the last second
/// @param spareBitPerSecond rate of outer IP packets that the path could carry in addition to those
///   that leave; infinite while it was never full
/// @param peerBitPerSecond rate at which the prober's outer IP packets leave, where it shares it; 0
///   before
/// @param bad true if so much of what leaves here is lost that flows which count rate avoid the
///   path
/// @param probes those that this end has sent
public record PathState(
    int id,
    PathUse use,
    String link,
    @Nullable InetSocketAddress address,
    double roundTripUs,
    double usualRoundTripUs,
    double countedDelayUs,
    double clockOffsetUs,
    double delayErrorUs,
    int pathMtu,
    double lossRatio,
    double lossToHereRatio,
    @Nullable LossSample lossSample,
    @Nullable LossSample lossToHereSample,
    double usualLossRatio,
    double sentBitPerSecond,
    double spareBitPerSecond,
    double peerBitPerSecond,
    boolean bad,
    ProbeCounts probes) {
  static PathState of(SessionPath path, PathExchange exchange, long nowNs) {
    return new PathState(
        path.id,
        path.use,
        path.link,
        exchange.boundTo(path),
        path.roundTripUs(),
        path.usualRoundTripUs(),
        path.isMeasured() ? path.delayUs(nowNs) : Double.NaN,
        path.clockOffsetUs(),
        path.delayErrorUs(),
        path.mtu.size(),
        path.loss.recent(nowNs),
        path.lossToHere.recent(nowNs),
        path.loss.newest(),
        path.lossToHere.newest(),
        Math.max(path.loss.longTerm(nowNs), path.lossToHere.longTerm(nowNs)),
        path.pacing.pacer().sentPerSecond(nowNs) * 8,
        path.sparePerSecond(nowNs) * 8,
        path.peerBitPerSecond,
        path.bad,
        path.probes.counts(nowNs / 1000));
  }
}
