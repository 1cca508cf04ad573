package io.viaduct.snapt.relay;

import io.viaduct.snapt.binding.Session;
import io.viaduct.tunnel.session.PathState;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetSocketAddress;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The state of one session, for the operator's status page. Bytes of flows are those of the open
/// interval.
///
/// @param device the device's public key, base64url
/// @param receipts true if the device signs a receipt for each interval
/// @param binding address and port that datagrams are sent to; empty before the first datagram has
///   arrived
/// @param carrier `udp`, or `control` while datagrams are carried in the control connection
/// @param pathMtu size, in bytes, of the largest outer IP packet that is sent to the device now
/// @param paths the paths of the session, with the address of each
/// @param moves number of changes of the binding
/// @param delayErrorMs bound on the error of each one-way delay; null before the first probe
/// @param tokenExpiresMs expiry of the token, in Unix milliseconds
/// @param heardMs arrival of the last authentic datagram, in Unix milliseconds
/// @param credit what the device knows about the credit of its account
/// @param interval sequence number of the open interval
/// @param refused number of refused datagrams and records, by reason
public record SessionStatus(
    String session,
    String account,
    String device,
    String software,
    boolean receipts,
    int receiverIndex,
    int slot,
    String binding,
    String carrier,
    int pathMtu,
    List<PathStatus> paths,
    long moves,
    double roundTripMs,
    @Nullable Double delayErrorMs,
    long tokenExpiresMs,
    long heardMs,
    String credit,
    long interval,
    List<FlowStatus> flows,
    Map<String, Long> refused) {
  /// One path of the session.
  ///
  /// @param use `yes`, `spare` or `no`, as the device has decided
  /// @param link name of the device's link; empty if the device has not told it
  /// @param address address and port of the device; empty before the device has answered a
  ///   challenge
  /// @param lossPercent share of the bytes to the device that was lost in about the last second
  /// @param upLossPercent the same of the bytes from the device
  public record PathStatus(
      int path,
      String use,
      String link,
      String address,
      double roundTripMs,
      double lossPercent,
      double upLossPercent,
      int pathMtu,
      long sentBitPerSecond) {
    static PathStatus of(PathState path) {
      return new PathStatus(
          path.id(),
          path.use().name().toLowerCase(Locale.ROOT),
          path.link(),
          text(path.address()),
          Double.isNaN(path.roundTripUs()) ? 0 : path.roundTripUs() / 1_000,
          Math.round(path.lossRatio() * 1000) / 10.0,
          Math.round(path.lossToHereRatio() * 1000) / 10.0,
          path.pathMtu(),
          Math.round(path.sentBitPerSecond()));
    }
  }

  /// One flow of the open interval.
  public record FlowStatus(
      int flow,
      String serviceClass,
      String application,
      int protocol,
      String remoteAddress,
      int remotePort,
      long upPreBytes,
      long upPostBytes,
      long downPreBytes,
      long downPostBytes,
      long durationMs,
      double delayMs,
      String delaySource,
      long lostPackets) {
    static FlowStatus of(FlowUsage flow) {
      return new FlowStatus(
          flow.getFlow(),
          flow.getServiceClass().name(),
          flow.getApplication(),
          flow.getProtocol(),
          flow.getRemoteAddress(),
          flow.getRemotePort(),
          flow.getUp().getPreBytes(),
          flow.getUp().getPostBytes(),
          flow.getDown().getPreBytes(),
          flow.getDown().getPostBytes(),
          flow.getDurationMs(),
          flow.getDelayMs(),
          flow.getDelaySource().name(),
          flow.getUp().getLostPackets() + flow.getDown().getLostPackets());
    }
  }

  static SessionStatus of(RelayedSession relayed, long nowNs) {
    Session session = relayed.session();
    UsageReport soFar = relayed.soFar();
    double roundTripUs = relayed.tunnel().roundTripUs();
    double delayErrorUs = relayed.tunnel().delayErrorUs();
    return new SessionStatus(
        session.id().toString(),
        session.token().getAccount(),
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(session.token().getDeviceKey().toByteArray()),
        session.terms().software(),
        session.terms().receipts(),
        session.receiverIndex(),
        session.slot(),
        text(relayed.tunnel().binding()),
        relayed.tunnel().carrier().name().toLowerCase(Locale.ROOT),
        relayed.tunnel().mtu().size(),
        relayed.tunnel().paths(nowNs).stream().map(PathStatus::of).toList(),
        relayed.moves(),
        Double.isNaN(roundTripUs) ? 0 : roundTripUs / 1_000,
        Double.isNaN(delayErrorUs) ? null : delayErrorUs / 1_000,
        session.token().getExpiresMs(),
        session.heardMs(),
        relayed.credit().name().toLowerCase(Locale.ROOT),
        soFar.getSequence(),
        soFar.getFlowsList().stream().map(FlowStatus::of).toList(),
        refused(relayed.tunnel().verdicts()));
  }

  private static String text(@Nullable InetSocketAddress address) {
    return address == null ? "" : address.getAddress().getHostAddress() + " " + address.getPort();
  }

  private static Map<String, Long> refused(VerdictCounters verdicts) {
    Map<String, Long> refused = new TreeMap<>();
    for (Verdict verdict : Verdict.values()) {
      if (verdicts.of(verdict) > 0 && Refusals.isRefusal(verdict)) {
        refused.put(verdict.name(), verdicts.of(verdict));
      }
    }
    return refused;
  }
}
