package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.session.PathState;
import io.viaduct.tunnel.session.PathUse;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// A path of a listening peer as it is shown.
///
/// @param measured by the other end
/// @param socket by which it is heard; null if it is not
/// @param silent whether this end sends nothing by it
record AnsweredPath(
    PathState measured, @Nullable PeerSocket socket, ProbeWatchdog watchdog, boolean silent) {
  PathStatus status(long nowNs) {
    UsableLink link = socket == null ? null : socket.link();
    InetSocketAddress address = measured.address();
    boolean left = watchdog.isFired() || silent;
    boolean losing = PathReport.isLosing(measured, false);
    String working = measured.use() == PathUse.SPARE ? "spare" : losing ? "losing" : "usable";
    return PathReport.of(
        measured,
        socket == null ? "any" : socket.linkName(),
        address == null ? "" : address.getAddress().getHostAddress(),
        left ? "dead" : working,
        left ? PathUse.NO : measured.use(),
        why(nowNs),
        (nowNs - watchdog.sinceNs()) / 1_000_000,
        link == null ? 0 : link.cost());
  }

  private String why(long nowNs) {
    if (watchdog.isFired()) {
      return "no probe has come by it for %d ms".formatted(watchdog.silentMs(nowNs));
    }
    if (socket != null && socket.isLinkGone()) {
      return "the link of this end is gone";
    }
    if (watchdog.heldMs(nowNs) > 0) {
      return "its probes come again, and it is tried for %d ms more"
          .formatted(watchdog.heldMs(nowNs));
    }
    return switch (measured.use()) {
      case YES -> "the peer that dials uses it";
      case SPARE -> "the peer that dials keeps it as a spare";
      case NO -> "the peer that dials does not use it";
    };
  }
}
