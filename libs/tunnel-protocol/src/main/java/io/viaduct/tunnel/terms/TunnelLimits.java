package io.viaduct.tunnel.terms;

import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.wire.IpFields;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/// Limits that an end offers in Hello or Welcome. A session has the smaller ones of both ends
/// (docs/protocol.md section 5).
///
/// @param pathMtu largest outer IP packet that is tried, 1280 … 9000 bytes
/// @param historyBytes plain text of a dictionary epoch, a power of two from 16 KiB to 1 MiB; 0 for
///   neither histories nor zstd
/// @param paths paths that a session may have at a time, 1 … 8; 1 is what an end of the version
///   before has (docs/protocol.md section 4.5)
/// @param features optional abilities of the tunnel; all but WAITING_TIMES and PATH_TRIALS count
///   with several paths only
public record TunnelLimits(int pathMtu, int historyBytes, int paths, Set<Feature> features) {
  /// The abilities of this version, between a device and a SNAPT.
  public static final Set<Feature> FEATURES =
      Set.of(
          Feature.COPIES,
          Feature.RESEQUENCING,
          Feature.NUMBERED_PACKETS,
          Feature.WAITING_TIMES,
          Feature.LINK_NAMES,
          Feature.RATE_ROUTES,
          Feature.BOUND_ROUTES,
          Feature.PATH_TRIALS);

  private static final Set<Feature> WITH_ONE_PATH =
      Set.of(Feature.WAITING_TIMES, Feature.PATH_TRIALS);

  /// Smallest path MTU that can be configured: a TUN device with a smaller MTU has no IPv6 (RFC
  /// 8200 §5). Probes find paths that carry less.
  public static final int PATH_MTU_MIN = 1280;

  public static final int PATH_MTU_MAX = 9_000;

  /// Smallest history: with less, a block of a full compound might not fit into an epoch.
  static final int HISTORY_BYTES_MIN = 1 << 14;

  static final int HISTORY_BYTES_MAX = 1 << 20;

  /// Largest number of paths: more than a device has links, and path ids fit into one byte's bits.
  public static final int PATHS_MAX = 8;

  /// 8 header, 16 tag, 8 stamp block, 1 descriptor, 1 kind, 3 flow, 1 application.
  static final int INNER_PACKET_OVERHEAD = Sealer.OVERHEAD + 8 + 1 + 1 + 3 + 1;

  public TunnelLimits {
    if (pathMtu < PATH_MTU_MIN || pathMtu > PATH_MTU_MAX) {
      throw new IllegalArgumentException(
          "path-mtu is %d, must be %d … %d bytes".formatted(pathMtu, PATH_MTU_MIN, PATH_MTU_MAX));
    }
    requireHistoryBytes(historyBytes);
    if (paths < 1 || paths > PATHS_MAX) {
      throw new IllegalArgumentException("paths is %d, must be 1 … %d".formatted(paths, PATHS_MAX));
    }
    features = Set.copyOf(features);
  }

  /// Returns these limits with another feature.
  public TunnelLimits with(Feature feature) {
    Set<Feature> more = new HashSet<>(features);
    more.add(feature);
    return new TunnelLimits(pathMtu, historyBytes, paths, more);
  }

  /// Creates the limits of an end with one path.
  public TunnelLimits(int pathMtu, int historyBytes) {
    this(pathMtu, historyBytes, 1, Set.of());
  }

  static void requireHistoryBytes(int bytes) {
    if (bytes != 0
        && (Integer.bitCount(bytes) != 1
            || bytes < HISTORY_BYTES_MIN
            || bytes > HISTORY_BYTES_MAX)) {
      throw new IllegalArgumentException(
          "history-bytes is %d, must be 0, or a power of two from %d to %d"
              .formatted(bytes, HISTORY_BYTES_MIN, HISTORY_BYTES_MAX));
    }
  }

  /// Returns the limits that both ends accept.
  ///
  /// @param peersPathMtu already checked by the caller, which refuses a peer with an invalid value
  /// @param peersHistoryBytes any number; too small or negative means no history
  /// @param peersPaths any number; 0 is an end of the version before, which has one path
  /// @param peersFeatures all that the peer has named
  public TunnelLimits agreed(
      int peersPathMtu, int peersHistoryBytes, int peersPaths, Collection<Feature> peersFeatures) {
    int agreedPaths = Math.clamp(peersPaths, 1, paths);
    Set<Feature> shared = new HashSet<>(features);
    shared.retainAll(peersFeatures);
    if (agreedPaths == 1) {
      shared.retainAll(WITH_ONE_PATH);
    }
    int power = Integer.highestOneBit(Math.max(0, peersHistoryBytes));
    int smaller = Math.min(historyBytes, power);
    return new TunnelLimits(
        Math.min(pathMtu, peersPathMtu),
        smaller < HISTORY_BYTES_MIN ? 0 : smaller,
        agreedPaths,
        shared);
  }

  /// Returns whether both ends can do what a route asks for.
  ///
  /// @param route id of a path, or a value of [FlowRoute]
  public boolean knows(int route) {
    return switch (route) {
      case FlowRoute.TWO_PATHS, FlowRoute.TWO_PATHS_WHILE_LOSING -> hasCopies();
      case FlowRoute.SPREAD -> hasResequencing();
      case FlowRoute.MOST_SPARE -> features.contains(Feature.RATE_ROUTES);
      default -> true;
    };
  }

  /// Returns whether a route names a path that the handshake has allowed, or something that both
  /// ends can do.
  ///
  /// @param route id of a path, or a value of [FlowRoute]
  public boolean allows(int route) {
    if (!FlowRoute.isPath(route)) {
      return knows(route);
    }
    boolean isKnown = !FlowRoute.isBinding(route) || features.contains(Feature.BOUND_ROUTES);
    return isKnown && FlowRoute.path(route) < paths;
  }

  /// Returns the route that the device tells its peer. One that does not know routes that bind gets
  /// the path: it only moves what waits to another path when the path is lost.
  ///
  /// @param route a value of [FlowRoute] that is known
  public int told(int route) {
    boolean isBound = FlowRoute.isPath(route) && FlowRoute.isBinding(route);
    return isBound && !features.contains(Feature.BOUND_ROUTES) ? FlowRoute.path(route) : route;
  }

  /// Returns whether flows of a protocol may travel by all paths. The receiver puts TCP in order by
  /// TCP's own sequence numbers, and UDP by the numbers of its packets.
  ///
  /// @param protocol IP protocol number
  public boolean spreads(int protocol) {
    return hasResequencing()
        && (protocol == IpFields.TCP
            || protocol == IpFields.UDP && features.contains(Feature.NUMBERED_PACKETS));
  }

  private boolean hasResequencing() {
    return features.contains(Feature.RESEQUENCING);
  }

  /// Returns whether the device tells for how long each flow has waited for its path.
  public boolean hasWaitingTimes() {
    return features.contains(Feature.WAITING_TIMES);
  }

  /// Returns whether both ends try the rate of a path that they do not know, and the SNAPT its
  /// round trip. Two devices do not: nothing between them has a price.
  public boolean hasPathTrials() {
    return features.contains(Feature.PATH_TRIALS) && !hasMeasurements();
  }

  /// Returns whether the device tells the name of the link of each path.
  public boolean hasLinkNames() {
    return features.contains(Feature.LINK_NAMES);
  }

  /// Returns whether each PROBE shares what the prober has measured.
  public boolean hasMeasurements() {
    return features.contains(Feature.MEASUREMENTS);
  }

  /// Returns whether a datagram may travel by two paths.
  public boolean hasCopies() {
    return features.contains(Feature.COPIES);
  }

  /// Returns the MTU of the TUN device at both ends: the largest inner packet that always fits into
  /// one datagram, on a path of either address family.
  public int tunMtu() {
    return OuterHeader.IPV6.innerMtu(pathMtu);
  }
}
