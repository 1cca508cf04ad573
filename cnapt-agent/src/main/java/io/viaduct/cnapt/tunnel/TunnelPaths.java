package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.PathSinks;
import io.viaduct.tunnel.session.TunnelSession;
import java.net.SocketException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The paths of this end of the tunnel, with their sockets, and the carrier. An end that dials
/// decides about them ([DialledPaths]); an end that listens follows ([AnsweredPaths]). Owner: the
/// data path's event loop.
interface TunnelPaths extends PathSinks, PathsView, PathListener, AutoCloseable {
  /// Takes what arrives by any socket; the data path.
  interface Inbound {
    /// Called once before the datagrams of one receive.
    void burst(long waitedNs);

    /// Returns the time of the present receive.
    long arrivedNs();

    /// Returns the session that a datagram belongs to; null, and counted, if it belongs to none.
    @Nullable TunnelSession sessionOf(ByteBuf datagram);

    /// Returns the sink of restored packets.
    InnerPacketSink toHost();

    /// Called after the datagrams of one receive. @return true if they had packets for this host
    boolean opened();

    /// Called when more datagrams may leave.
    void drain();

    /// Called when the other end has become silent, or is no longer.
    void silenceChanged();
  }

  /// Opens the paths of a session.
  interface Factory {
    /// @param inbound takes what arrives
    /// @throws SocketException if a socket cannot be opened
    TunnelPaths open(Inbound inbound) throws SocketException;
  }

  /// Takes a new session. All its paths are unknown.
  void begin(TunnelSession begun, Remotes peers, long nowNs);

  /// Begins with the rates that the session of these paths knows of the same links.
  default void followRates(TunnelPaths before, long nowNs) {}

  /// Ends the session; the sockets stay.
  void end();

  /// Sets the addresses of the other end.
  void peers(Remotes to, long nowNs);

  /// Takes a difference of the links that may be used.
  ///
  /// @param before null for a link that is new
  /// @param now null for a link that is gone
  void linkChanged(@Nullable UsableLink before, @Nullable UsableLink now, long nowNs);

  /// Sets the session's control connection, which may carry datagrams; null if it is lost.
  void control(ControlLine.@Nullable Connection connection, long nowNs);

  /// Opens a datagram that arrived in the control connection.
  void controlDatagram(ByteBuf datagram, long nowNs);

  /// Takes a possible change of network.
  void networkChanged(long nowNs);

  /// Starts all paths anew, because this host has slept.
  void awake(long nowNs);

  /// Records a packet that this host has sent into the tunnel.
  void offered(long nowNs);

  /// Sends what waits for a socket, before the session is drained.
  void beforeDrain(long nowNs);

  /// Called after the session was drained.
  void afterDrain(long nowNs);

  /// Handles what is due.
  void tick(long nowNs);

  /// Returns the time of the next [#tick].
  long nextTickNs(long nowNs);

  /// Returns the carrier of the data.
  Carrier carrier();

  /// Returns links in the order in which the control connection should try them. Any thread may
  /// call this.
  List<UsableLink> ranked(List<UsableLink> links);

  @Override
  void close();
}
