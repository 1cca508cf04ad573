package io.viaduct.snapt.relay;

import io.viaduct.snapt.binding.Session;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.UsageReport;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// The state of one session, for the operator's status page. Bytes of flows are those of the open
/// interval.
///
/// @param device the device's public key, base64url
/// @param receipts true if the device signs a receipt for each interval
/// @param binding address and port that datagrams are sent to; empty before the first datagram has
///   arrived
/// @param carrier `udp`, or `control` while datagrams are carried in the control connection
/// @param pathMtu size, in bytes, of the largest outer IP packet that is sent to the device now
/// @param moves number of changes of the binding
/// @param tokenExpiresMs expiry of the token, in Unix milliseconds
/// @param heardMs arrival of the last authentic datagram, in Unix milliseconds
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
    long moves,
    double roundTripMs,
    long tokenExpiresMs,
    long heardMs,
    long interval,
    List<FlowStatus> flows,
    Map<String, Long> refused) {
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

  static SessionStatus of(RelayedSession relayed) {
    Session session = relayed.session();
    UsageReport soFar = relayed.soFar();
    var binding = relayed.tunnel().binding();
    double roundTripUs = relayed.tunnel().roundTripUs();
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
        binding == null ? "" : binding.getAddress().getHostAddress() + " " + binding.getPort(),
        relayed.tunnel().carrier().name().toLowerCase(Locale.ROOT),
        relayed.tunnel().mtu().size(),
        relayed.moves(),
        Double.isNaN(roundTripUs) ? 0 : roundTripUs / 1_000,
        session.token().getExpiresMs(),
        session.heardMs(),
        soFar.getSequence(),
        soFar.getFlowsList().stream().map(FlowStatus::of).toList(),
        refused(relayed.tunnel().verdicts()));
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
