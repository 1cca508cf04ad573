package io.viaduct.cnapt.control;

import io.viaduct.cnapt.links.Remotes;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A control connection after its Welcome.
///
/// @param snapt the SNAPT that sent the Welcome
/// @param peers addresses for datagrams to the SNAPT
/// @param welcome the message; its secret is for the data path only
/// @param ownReceiverIndex receiver index that the Hello has sent
/// @param connection the connection, for datagrams while UDP is blocked
public record Welcomed(
    Snapt snapt,
    Remotes peers,
    Welcome welcome,
    int ownReceiverIndex,
    ControlLine.Connection connection) {
  /// Returns the terms that both ends have agreed on.
  ///
  /// @param limits limits that the Hello has sent
  public TunnelTerms terms(TunnelLimits limits) {
    return new TunnelTerms(
        AeadAlgorithm.valueOf(welcome.getAead().name()),
        SessionSecret.of(welcome.getSecret().toByteArray()),
        welcome.getReceiverIndex(),
        agreed(limits));
  }

  /// Returns the MTU of the TUN that suits the session, in bytes.
  ///
  /// @param limits limits that the Hello has sent
  public int tunMtu(TunnelLimits limits) {
    return agreed(limits).tunMtu();
  }

  private TunnelLimits agreed(TunnelLimits limits) {
    return limits.agreed(
        welcome.getPathMtu(),
        welcome.getHistoryBytes(),
        welcome.getPaths(),
        welcome.getFeaturesList());
  }

  /// Returns this connection with the SNAPT's address of the other family, if it has one.
  ///
  /// @param found addresses of the SNAPT
  /// @param before the last connection to it, null for none
  Welcomed reachableAt(List<InetAddress> found, @Nullable Welcomed before) {
    Remotes all = peers.and(found, before == null ? null : before.peers);
    return new Welcomed(snapt, all, welcome, ownReceiverIndex, connection);
  }

  /// Returns this connection with all addresses of a peer: each is a place of its own.
  ///
  /// @param found addresses of the peer by its configuration
  Welcomed reachableAtEach(List<InetAddress> found) {
    return new Welcomed(snapt, peers.each(found), welcome, ownReceiverIndex, connection);
  }

  /// Returns the names by which the session is resumed.
  ///
  /// @param handOver number of the hand-over for which the device comes; 0 for none
  Resumption resumption(long handOver) {
    return new Resumption(welcome.getSessionId(), ownReceiverIndex, handOver);
  }

  /// Returns the session's id only, so that the secret does not appear in logs.
  @Override
  public String toString() {
    String how =
        welcome.getResumed() ? ", resumed" : welcome.getMovedNumber() != 0 ? ", handed over" : "";
    return "session %s at %s%s".formatted(welcome.getSessionId(), snapt, how);
  }
}
