package io.viaduct.cnapt.operations;

import io.viaduct.cnapt.control.SnaptWatch;
import io.viaduct.cnapt.egress.KeptOutside;
import io.viaduct.cnapt.links.LinkStatus;
import io.viaduct.cnapt.mobility.CarrierChange;
import io.viaduct.cnapt.mobility.Handover;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.signalling.SignallingStatus;
import io.viaduct.cnapt.tunnel.DataStatus;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The status of the agent, for `/status` and `cnapt status`.
///
/// @param state `starting`, `up`, or `degraded` when packets cannot be carried as they should
/// @param pid process id of the agent
/// @param reasons reasons for any state but `up`; empty if the state is `up`
/// @param receipts null with a peer
/// @param signalling null with a peer
/// @param peer the other end of a tunnel without a SNAPT; null with a SNAPT
/// @param links the links that may carry the tunnel
/// @param paths the paths of the session
/// @param portal page of the captive portal that stands in the way; empty if none was noticed
/// @param strayRoutes routes of the main table that are not followed, because they would lead past
///   the tunnel
/// @param outside traffic that never enters the tunnel
/// @param session that with the first SNAPT in use; null before the first Welcome
/// @param snapts the SNAPTs in use; empty with a peer
/// @param directory what the newest list of the bridge says about all SNAPTs, by id; empty without
///   one
/// @param watchedSnapts the other SNAPTs of the list, as far as they are measured; empty if only
///   one SNAPT is used at a time
public record AgentStatus(
    String state,
    List<String> reasons,
    String version,
    long pid,
    long uptimeMs,
    TunStatus tun,
    @Nullable SessionStatus session,
    List<UsedSnapt> snapts,
    List<ListedSnapt> directory,
    List<SnaptWatch.Watched> watchedSnapts,
    ControlStatus control,
    @Nullable ReceiptsStatus receipts,
    @Nullable SignallingStatus signalling,
    @Nullable PeerStatus peer,
    String network,
    List<LinkStatus> links,
    List<PathStatus> paths,
    String portal,
    List<String> strayRoutes,
    KeptOutside outside,
    DataStatus data,
    long handoverCount,
    List<Handover> handovers,
    List<CarrierChange> carrierChanges) {

  /// The device's own interface.
  public record TunStatus(String name, String ipv4, String ipv6, int mtu) {}

  /// The terms that both ends have agreed on.
  ///
  /// @param snapt the SNAPT or the peer
  public record SessionStatus(
      String snapt, String id, String aead, int pathMtu, long reportIntervalMs, long sinceMs) {}

  /// A SNAPT in use.
  ///
  /// @param snapt its id and address
  /// @param session id of the session
  /// @param established true if the control connection is open now
  /// @param lastFailure reason of the last loss or refusal of the connection; empty without one
  /// @param state `carrying`, `leaving` (it is about to stop, or to be exchanged for a nearer one),
  ///   `silent` or `none` (no session)
  /// @param draining whether the SNAPT says that it drains
  /// @param drainDeadline time at which the session then moves or ends, RFC 3339; empty for none
  /// @param roundTripMs smoothed round trip; null before the first answer
  /// @param ownBitPerSecond rate of this device's outer packets in both directions
  /// @param carriedBytes inner bytes of the session in both directions
  /// @param region location; empty if it is not told
  /// @param denariiPerGigabyte surcharge of its owner by class, where it is above 0
  public record UsedSnapt(
      String snapt,
      String session,
      boolean established,
      String lastFailure,
      String state,
      boolean draining,
      String drainDeadline,
      @Nullable Double roundTripMs,
      int flows,
      long ownBitPerSecond,
      long carriedBytes,
      String region,
      Map<String, Double> denariiPerGigabyte) {}

  /// A SNAPT of the bridge's list.
  ///
  /// @param snapt its id
  /// @param region location; empty if it is not told
  /// @param loadPercent share of its sessions that are open; null if it is not told
  /// @param denariiPerGigabyte surcharge of its owner by class, where it is above 0
  public record ListedSnapt(
      String snapt,
      String region,
      @Nullable Integer loadPercent,
      Map<String, Double> denariiPerGigabyte) {}

  /// The other end of a tunnel without a SNAPT.
  ///
  /// @param role of this end: `dials` or `listens`
  /// @param ownKey public key of this end
  /// @param key public key of the other end
  /// @param addresses those that this end dials, or at which it listens
  /// @param prefixes networks behind the other end
  /// @param watchdogs how often the probes of a path have stopped, at the end that listens
  /// @param refusedConnections connections that were refused before they changed anything, by
  ///   reason, at the end that listens
  /// @param refusedSources packets of the other end whose source is in none of the prefixes
  public record PeerStatus(
      String role,
      String ownKey,
      String key,
      List<String> addresses,
      List<String> prefixes,
      long watchdogs,
      long refusedSources,
      Map<String, Long> refusedConnections) {}

  /// Counts of the intervals for which SNAPTs asked for a receipt since the start.
  ///
  /// @param supported true if the SNAPT accepts receipts
  /// @param owed intervals that still wait for packets in flight before they are signed or refused
  public record ReceiptsStatus(boolean supported, long signed, long refused, long owed) {}

  /// The state of the control connection.
  ///
  /// @param established true if the connection is open now
  /// @param tokenExpires RFC 3339, empty if not known
  /// @param trustExpires RFC 3339, earliest expiry of a certificate in the file `trust`
  /// @param lastFailure reason of the last loss or refusal; empty if there was none
  /// @param credit what the user should know about the credit of the account; empty if it suffices
  public record ControlStatus(
      boolean established,
      String tokenExpires,
      String trustExpires,
      String lastFailure,
      String credit,
      List<String> snapts) {}
}
