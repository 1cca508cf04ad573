package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.FlowEnd;
import io.viaduct.cnapt.policy.PolicyLine;
import io.viaduct.cnapt.snapts.SnaptDecision;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.wire.IpFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/// Counts the flows that this device has refused, and remembers the last ones with the inputs of
/// the decision. Allocates nothing for a further packet of one of them. Owner: the data path's
/// event loop; any thread may read the counts.
final class RefusedFlows {
  static final int REMEMBERED = 64;

  /// Pause after which the same addresses and ports are another flow.
  static final long PAUSE_NS = 60_000_000_000L;

  private final AtomicLongArray counts = new AtomicLongArray(FlowRefusal.values().length);
  private final @Nullable Refused[] last = new Refused[REMEMBERED];
  private int next;

  private static final class Refused {
    final int protocol;
    final int localPort;
    final long remoteHigh;
    final long remoteLow;
    final int remotePort;
    final String application;
    final FlowRefusal reason;
    final SnaptDecision why;
    final PolicyLine by;
    long packets = 1;
    long atNs;

    Refused(FlowKey of, String application, SnaptDecision why, PolicyLine by, long nowNs) {
      this.protocol = of.protocol();
      this.localPort = of.sourcePort();
      this.remoteHigh = of.destinationHigh();
      this.remoteLow = of.destinationLow();
      this.remotePort = of.destinationPort();
      this.application = application;
      this.reason = FlowRefusal.of(why.best().missed());
      this.why = why;
      this.by = by;
      this.atNs = nowNs;
    }

    boolean is(FlowKey packet) {
      return localPort == packet.sourcePort()
          && remotePort == packet.destinationPort()
          && remoteLow == packet.destinationLow()
          && remoteHigh == packet.destinationHigh()
          && protocol == packet.protocol();
    }

    DataStatus.RefusedFlow status(long nowNs) {
      return new DataStatus.RefusedFlow(
          protocol,
          localPort,
          FlowEnd.text(FlowTuple.address(remoteHigh, remoteLow), remotePort),
          application,
          why.of().name(),
          reason.name().toLowerCase(Locale.ROOT),
          UnmetRules.words(by),
          why.whyRefused(),
          packets,
          (nowNs - atNs) / 1_000_000);
    }
  }

  /// Records a packet of a flow that is refused.
  ///
  /// @param application name of its application
  /// @param why the decision, in which the chosen SNAPT misses something
  /// @param by line of the policy by which it is refused
  void refused(FlowKey packet, String application, SnaptDecision why, PolicyLine by, long nowNs) {
    for (Refused each : last) {
      if (each != null && each.is(packet) && nowNs - each.atNs < PAUSE_NS) {
        each.packets++;
        each.atNs = nowNs;
        return;
      }
    }
    Refused first = new Refused(packet, application, why, by, nowNs);
    count(first.reason, 1);
    last[next] = first;
    next = (next + 1) % REMEMBERED;
  }

  /// Counts flows that are refused for a reason which needs no explanation.
  void count(FlowRefusal reason, int flows) {
    counts.addAndGet(reason.ordinal(), flows);
  }

  /// Returns the number of flows that were refused for a reason. Any thread may call this.
  long of(FlowRefusal reason) {
    return counts.get(reason.ordinal());
  }

  /// Returns the flows that were refused last, the newest first.
  List<DataStatus.RefusedFlow> status(long nowNs) {
    List<DataStatus.RefusedFlow> status = new ArrayList<>();
    Arrays.stream(last)
        .filter(Objects::nonNull)
        .sorted(Comparator.comparingLong((Refused each) -> nowNs - each.atNs))
        .forEach(each -> status.add(each.status(nowNs)));
    return status;
  }

  /// Returns whether the packet may be the first one of its flow. A segment in the middle of a
  /// connection is none: its session may be new. Packets without ports follow other flows.
  static boolean mayBegin(FlowKey key, int tcpFlags) {
    return !key.isPortless()
        && (key.protocol() != IpFields.TCP
            || (tcpFlags & (IpFields.SYN | IpFields.ACK)) == IpFields.SYN);
  }
}
