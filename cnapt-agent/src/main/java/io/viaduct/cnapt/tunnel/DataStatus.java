package io.viaduct.cnapt.tunnel;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.viaduct.cnapt.policy.FlowEnd;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.snapts.SnaptFacts;
import io.viaduct.cnapt.tunnel.Carried.Direction;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.wire.ServiceClass;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The status of the data path.
///
/// @param peer address of datagrams by UDP
/// @param carrier `udp`, or `control` while UDP is blocked
/// @param pathState `alive`, `searching` after a change, `dead`, or `none` without a session
/// @param roundTripMs smoothed round trip; null before the first answer
/// @param delayErrorMs bound on the error of each one-way delay, by which flows are charged; null
///   before the first answer
/// @param pathMtu size of the largest outer IP packet that is sent now, in bytes; 0 without a
///   session
/// @param flowsOpen number of all open flows, including those that are not listed
/// @param flows the flows with the most bytes, at most 100
/// @param refused number of flows that this device has refused, by reason; only reasons that have
///   occurred
/// @param refusedFlows the flows that were refused last because no SNAPT meets their class, the
///   newest first; at most 64
/// @param paths the paths of all sessions, those of the first one first; the agent's status shows
///   them beside this one
/// @param snapts one for each end, also before its session; one that stands for the peer. The
///   agent's status shows them beside this one
public record DataStatus(
    String peer,
    String carrier,
    String pathState,
    @Nullable Double roundTripMs,
    @Nullable Double delayErrorMs,
    int pathMtu,
    List<ClassStatus> classes,
    int flowsOpen,
    List<FlowStatus> flows,
    Map<String, Long> refused,
    List<RefusedFlow> refusedFlows,
    @JsonIgnore List<PathStatus> paths,
    @JsonIgnore List<SnaptStatus> snapts) {
  private static final int FLOWS_MAX = 100;

  /// The bytes of one service class, in both directions together.
  ///
  /// @param preBytes inner IP bytes
  /// @param postBytes outer IP bytes that carried them
  /// @param savedPercent saved share of the inner bytes, in percent; negative if the tunnel costs
  ///   more than it saves
  public record ClassStatus(
      String serviceClass, int queuedBytes, long preBytes, long postBytes, double savedPercent) {}

  /// The status of one flow.
  ///
  /// @param link link of the path that its last packet took, with the address of the other end if
  ///   it has several; empty before the first packet
  /// @param snapt the SNAPT that carries it; empty with a peer
  /// @param snaptWhy why it has this SNAPT; with one SNAPT only in the answer of `path explain`
  public record FlowStatus(
      int flow,
      int protocol,
      int localPort,
      String remote,
      String application,
      String serviceClass,
      @Nullable String process,
      long sentBytes,
      long receivedBytes,
      long outerBytes,
      long retransmissions,
      long ageMs,
      String link,
      String snapt,
      String snaptWhy) {}

  /// A flow that was refused.
  ///
  /// @param reason in lower case, as the counter has it
  /// @param rule line of the policy, or key of the configuration, by which it was refused
  /// @param why the inputs of the decision
  /// @param packets packets of it that were refused
  /// @param agoMs time since the last one
  public record RefusedFlow(
      int protocol,
      int localPort,
      String remote,
      String application,
      String serviceClass,
      String reason,
      String rule,
      String why,
      long packets,
      long agoMs) {}

  /// The status of a SNAPT in use.
  ///
  /// @param snapt its id and address; empty before the first session
  /// @param state `carrying`, `leaving` (it is about to stop, or to be exchanged for a nearer one),
  ///   `beginning` (the first answer of its session is awaited), `silent` or `none` (no session)
  /// @param roundTripMs smoothed round trip; null before the first answer
  /// @param ownBitPerSecond rate of this device's outer packets in both directions
  /// @param carriedBytes inner bytes of its present session in both directions
  public record SnaptStatus(
      String snapt,
      String state,
      @Nullable Double roundTripMs,
      int flows,
      long ownBitPerSecond,
      long carriedBytes) {}

  /// @param ends the first one is that of `peer` and of the paths
  static DataStatus of(List<TunnelEnd> ends, Carried carried, HostRefusals refusals, long nowNs) {
    Map<String, Long> refused = new LinkedHashMap<>();
    for (FlowRefusal each : FlowRefusal.values()) {
      if (refusals.of(each) > 0) {
        refused.put(each.name().toLowerCase(Locale.ROOT), refusals.of(each));
      }
    }
    List<RefusedFlow> refusedFlows = refusals.status(nowNs);
    List<ClassStatus> classes = new ArrayList<>();
    for (ServiceClass each : ServiceClass.values()) {
      classes.add(classStatus(each, ends, carried));
    }
    TunnelEnd first =
        ends.stream().filter(each -> each.session() != null).findFirst().orElse(ends.getFirst());
    TunnelPaths paths = first.paths();
    TunnelSession session = first.session();
    String by = paths.carrier().name().toLowerCase(Locale.ROOT);
    List<SnaptStatus> snapts = ends.stream().map(each -> snaptStatus(each, nowNs)).toList();
    if (session == null) {
      return new DataStatus(
          "",
          by,
          "none",
          null,
          null,
          0,
          classes,
          0,
          List.of(),
          refused,
          refusedFlows,
          List.of(),
          snapts);
    }
    List<FlowStatus> flows = new ArrayList<>();
    for (TunnelEnd each : ends) {
      TunnelSession of = each.session();
      if (of != null) {
        of.flows().forEach(flow -> flows.add(flowStatus(flow, each, nowNs)));
      }
    }
    flows.sort(
        Comparator.comparingLong((FlowStatus f) -> f.sentBytes() + f.receivedBytes()).reversed());
    @Nullable InetSocketAddress peer = paths.peer();
    return new DataStatus(
        peer == null ? "" : peer.getAddress().getHostAddress() + ":" + peer.getPort(),
        by,
        pathState(paths),
        milliseconds(session.roundTripUs()),
        milliseconds(session.delayErrorUs()),
        session.mtu().size(),
        classes,
        flows.size(),
        List.copyOf(flows.subList(0, Math.min(FLOWS_MAX, flows.size()))),
        refused,
        refusedFlows,
        pathsOf(first, ends, nowNs),
        snapts);
  }

  private static List<PathStatus> pathsOf(TunnelEnd first, List<TunnelEnd> ends, long nowNs) {
    List<PathStatus> all = new ArrayList<>(first.pathStatus(nowNs));
    ends.stream()
        .filter(each -> each != first && each.session() != null)
        .forEach(each -> all.addAll(each.pathStatus(nowNs)));
    return all;
  }

  private static String pathState(PathsView paths) {
    return paths.isDead() ? "dead" : paths.isSearching() ? "searching" : "alive";
  }

  private static @Nullable Double milliseconds(double us) {
    return Double.isNaN(us) ? null : us / 1000;
  }

  private static SnaptStatus snaptStatus(TunnelEnd of, long nowNs) {
    TunnelSession session = of.session();
    SnaptFacts facts = of.facts(nowNs);
    return new SnaptStatus(
        of.name(),
        facts.state().name().toLowerCase(Locale.ROOT),
        session == null ? null : milliseconds(session.roundTripUs()),
        session == null ? 0 : session.flows().size(),
        Math.round(facts.ownBitPerSecond()),
        session == null ? 0 : session.totals().preBytes());
  }

  private static ClassStatus classStatus(ServiceClass of, List<TunnelEnd> ends, Carried carried) {
    long pre = carried.preBytes(Direction.SENT, of) + carried.preBytes(Direction.RECEIVED, of);
    long post = carried.postBytes(Direction.SENT, of) + carried.postBytes(Direction.RECEIVED, of);
    int queued = 0;
    for (TunnelEnd each : ends) {
      TunnelSession session = each.session();
      queued += session == null ? 0 : session.queuedBytes(of);
    }
    return new ClassStatus(
        of.name(),
        queued,
        pre,
        post,
        pre == 0 ? 0 : Math.round((pre - post) * 1000.0 / pre) / 10.0);
  }

  static FlowStatus flowStatus(FlowState flow, TunnelEnd end, long nowNs) {
    String why = flow.attachment() instanceof FlowNote note ? note.whyPlaced() : "";
    return flowStatus(flow, why, end, nowNs);
  }

  static FlowStatus flowStatus(FlowState flow, String whySnapt, TunnelEnd end, long nowNs) {
    boolean dials = end.role() == TunnelRole.AGENT;
    FlowNote note = flow.attachment() instanceof FlowNote kept ? kept : null;
    return new FlowStatus(
        flow.id(),
        flow.protocol(),
        dials ? flow.devicePort() : flow.remotePort(),
        dials
            ? FlowEnd.text(flow.remoteAddress(), flow.remotePort())
            : FlowEnd.text(flow.deviceAddress(), flow.devicePort()),
        note == null ? "" : note.application.name(),
        flow.serviceClass().name(),
        note == null ? null : note.process,
        flow.sent().preBytes(),
        flow.received().preBytes(),
        flow.sent().postBytes() + flow.received().postBytes(),
        note == null ? 0 : note.retransmissions,
        (nowNs - flow.openedNs()) / 1_000_000,
        end.paths().name(flow.path()),
        end.name(),
        whySnapt);
  }
}
