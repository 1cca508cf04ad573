package io.viaduct.tunnel.session;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// State of one path of a session at this end.
///
/// @param use decided by the device
/// @param address address of the SNAPT's datagrams on this path; null at the device, and before the
///   path is bound
/// @param roundTripUs smoothed round trip in µs; NaN before the first measurement
/// @param pathMtu size of the largest outer IP packet that leaves now, in bytes
/// @param lossRatio share of what left here that was lost in about the last second
/// @param sentBitPerSecond rate at which outer IP packets left in about the last second
/// @param bitPerSecond rate of outer IP packets that pacing allows now; infinite without a limit
public record PathState(
    int id,
    PathUse use,
    @Nullable InetSocketAddress address,
    double roundTripUs,
    int pathMtu,
    double lossRatio,
    double sentBitPerSecond,
    double bitPerSecond) {
  static PathState of(SessionPath path, PathExchange exchange, long nowNs) {
    return new PathState(
        path.id,
        path.use,
        exchange.boundTo(path),
        path.roundTripUs(),
        path.mtu.size(),
        path.loss.recent(),
        path.pacing.pacer().sentPerSecond(nowNs) * 8,
        path.pacing.pacer().bytesPerSecond() * 8);
  }
}
