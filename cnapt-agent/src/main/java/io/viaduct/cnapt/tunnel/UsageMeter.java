package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.links.Remotes;
import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.usage.v1.DeviceFlow;
import io.viaduct.usage.v1.ServiceClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Counts what each flow of a session has carried since the last report of the device. Nothing is
/// done per packet: the flows' own counters are read when an interval or a flow ends. Owner: the
/// data path's event loop.
///
/// Datagrams of neighbours that this host forwards to the SNAPT are not counted: the SNAPT charges
/// them to nobody here (ADR 0068).
///
/// A report has the flows with the most bytes, and the others of each application in one line.
final class UsageMeter {
  static final int LINES_MAX = 48;
  private static final int ALONE_MAX = 32;
  private static final int ENDED_MAX = 512;
  private static final String UNCLASSIFIED = "unclassified";
  private static final double US_PER_MS = 1_000.0;

  /// A flow's counters at the last report.
  private record Seen(long up, long down, long delaySamples, long delaySumUs) {
    private static final Seen NOTHING = new Seen(0, 0, 0, 0);

    private static Seen of(FlowState flow) {
      FlowCounters received = flow.received();
      return new Seen(
          flow.sent().preBytes(),
          received.preBytes(),
          received.delaySamples(),
          received.delaySumUs());
    }
  }

  private record Line(
      ServiceClass serviceClass,
      String application,
      int protocol,
      long up,
      long down,
      long durationMs,
      long delaySamples,
      long delaySumUs) {
    private long bytes() {
      return up + down;
    }

    // Of several flows: protocol 0.
    private Line and(Line other) {
      return new Line(
          serviceClass,
          application,
          0,
          up + other.up,
          down + other.down,
          Math.max(durationMs, other.durationMs),
          delaySamples + other.delaySamples,
          delaySumUs + other.delaySumUs);
    }

    private Line unclassified() {
      return new Line(
          ServiceClass.HT_HD, UNCLASSIFIED, 0, up, down, durationMs, delaySamples, delaySumUs);
    }

    private DeviceFlow flow() {
      DeviceFlow.Builder flow =
          DeviceFlow.newBuilder()
              .setServiceClass(serviceClass)
              .setApplication(application)
              .setProtocol(protocol)
              .setUpBytes(up)
              .setDownBytes(down)
              .setDurationMs(durationMs);
      if (delaySamples > 0) {
        flow.setDelayMs(Math.max(0, delaySumUs / US_PER_MS / delaySamples));
      }
      return flow.build();
    }
  }

  private static final int UDP = 17;

  private final TunnelSession session;
  private final Remotes snapt;
  private final Map<FlowState, Seen> seen = new IdentityHashMap<>();
  private List<Line> ended = new ArrayList<>();
  private long startNs;
  private long flowlessUp;
  private long flowlessDown;

  /// @param snapt addresses for datagrams to the SNAPT
  UsageMeter(TunnelSession session, Remotes snapt, long nowNs) {
    this.session = session;
    this.snapt = snapt;
    this.startNs = nowNs;
  }

  /// Takes the last counts of a flow that has ended.
  void ended(FlowState flow, long nowNs) {
    add(ended, flow, nowNs);
    seen.remove(flow);
    if (ended.size() > ENDED_MAX) {
      ended = shortened(ended);
    }
  }

  private void add(List<Line> to, FlowState flow, long nowNs) {
    Seen before = seen.getOrDefault(flow, Seen.NOTHING);
    Seen now = Seen.of(flow);
    if (now.up() == before.up() && now.down() == before.down() || isForwarded(flow)) {
      return;
    }
    seen.put(flow, now);
    long fromNs = Math.max(startNs, flow.openedNs());
    to.add(
        new Line(
            ServiceClass.forNumber(flow.serviceClass().ordinal() + 1),
            flow.attachment() instanceof FlowNote note ? note.application.name() : UNCLASSIFIED,
            flow.protocol(),
            now.up() - before.up(),
            now.down() - before.down(),
            Math.max(1, TimeUnit.NANOSECONDS.toMillis(nowNs - fromNs)),
            now.delaySamples() - before.delaySamples(),
            now.delaySumUs() - before.delaySumUs()));
  }

  private boolean isForwarded(FlowState flow) {
    return flow.protocol() == UDP && snapt.has(flow.remoteAddress(), flow.remotePort());
  }

  /// Returns what was carried since the last call, and begins anew.
  List<DeviceFlow> take(long nowNs) {
    List<Line> lines = ended;
    ended = new ArrayList<>();
    session.flows().forEach(flow -> add(lines, flow, nowNs));
    addFlowless(lines, nowNs);
    startNs = nowNs;
    return shortened(lines).stream().map(Line::flow).toList();
  }

  private void addFlowless(List<Line> to, long nowNs) {
    long up = session.totals().sentFlowless().preBytes();
    long down = session.totals().receivedFlowless().preBytes();
    if (up != flowlessUp || down != flowlessDown) {
      to.add(
          new Line(
              ServiceClass.HT_HD,
              UNCLASSIFIED,
              0,
              up - flowlessUp,
              down - flowlessDown,
              Math.max(1, TimeUnit.NANOSECONDS.toMillis(nowNs - startNs)),
              0,
              0));
    }
    flowlessUp = up;
    flowlessDown = down;
  }

  // Sums by application and class of flows without a line of their own; the rest is one line.
  private static List<Line> shortened(List<Line> lines) {
    if (lines.size() <= LINES_MAX) {
      return lines;
    }
    lines.sort(Comparator.comparingLong(Line::bytes).reversed());
    Map<String, Line> others = new LinkedHashMap<>();
    for (Line line : lines.subList(ALONE_MAX, lines.size())) {
      String name = line.application() + " " + line.serviceClass();
      if (others.containsKey(name) || others.size() < LINES_MAX - ALONE_MAX - 1) {
        others.merge(name, line, Line::and);
      } else {
        others.merge("", line.unclassified(), Line::and);
      }
    }
    List<Line> all = new ArrayList<>(lines.subList(0, ALONE_MAX));
    all.addAll(others.values());
    return all;
  }
}
