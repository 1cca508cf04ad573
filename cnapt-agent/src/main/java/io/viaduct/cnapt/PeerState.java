package io.viaduct.cnapt;

import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.tunnel.control.v1.Welcome;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Holds the state of the session with a peer and of its control connection, and formats it for the
/// status. Written by the control loop; any thread may read it.
final class PeerState {
  private final String peer;
  private volatile @Nullable Welcome welcome; // without its secret
  private volatile @Nullable InetSocketAddress remote;
  private volatile boolean controlStands;
  private volatile String lastFailure = "";
  private volatile long sinceMs;

  /// @param peer the other end, for the status
  PeerState(String peer) {
    this.peer = peer;
  }

  /// Records an agreement with the peer.
  ///
  /// @param begun the Welcome, which may have a secret
  /// @param at address of the control connection at the other end
  void agreed(Welcome begun, InetSocketAddress at, long nowMs) {
    if (!begun.getResumed()) {
      sinceMs = nowMs;
    }
    welcome = begun.toBuilder().clearSecret().build();
    remote = at;
    controlStands = true;
  }

  void lost(String why) {
    controlStands = false;
    lastFailure = why;
  }

  /// Returns the address of the control connection at the other end, null before the first one.
  @Nullable InetSocketAddress remote() {
    return remote;
  }

  /// Returns `up`, or `starting` or `degraded` if there are reasons.
  String word(List<String> reasons) {
    return reasons.isEmpty() ? "up" : welcome == null ? "starting" : "degraded";
  }

  /// Returns the reasons for which the service is degraded; empty if it is not.
  ///
  /// @param refusedPairs pairs of a link and an address that are no path
  List<String> reasons(DataStatus data, int refusedPairs) {
    List<String> reasons = new ArrayList<>();
    if (welcome == null) {
      reasons.add("the peer has not been reached yet");
    } else if (data.pathState().equals("dead")) {
      reasons.add("every path to the peer is dead");
    }
    if (data.carrier().equals("control")) {
      reasons.add("UDP does not come through, packets travel in the control connection");
    }
    if (welcome != null && !controlStands) {
      reasons.add("no control connection at this moment");
    }
    if (refusedPairs > 0) {
      reasons.add(
          "%d pairs of a link and an address are no path, because a session has 8 at most: leave links out by `links`, or addresses by `peer.dial`"
              .formatted(refusedPairs));
    }
    return reasons;
  }

  AgentStatus.@Nullable SessionStatus session() {
    Welcome of = welcome;
    return of == null
        ? null
        : new AgentStatus.SessionStatus(
            peer, of.getSessionId(), of.getAead().name(), of.getPathMtu(), 0, sinceMs);
  }

  AgentStatus.ControlStatus control() {
    return new AgentStatus.ControlStatus(controlStands, "", "", lastFailure, "", List.of());
  }
}
