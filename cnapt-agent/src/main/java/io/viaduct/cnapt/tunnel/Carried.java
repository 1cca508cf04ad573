package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/// Totals over all sessions of this agent: the ended ones plus the present ones, so that counters
/// never decrease. Written by the data path's event loop. Other threads may read slightly old
/// values.
public final class Carried {
  private final VerdictCounters verdicts = new VerdictCounters();
  private final long[] sentPre = new long[ServiceClass.COUNT];
  private final long[] sentPost = new long[ServiceClass.COUNT];
  private final long[] receivedPre = new long[ServiceClass.COUNT];
  private final long[] receivedPost = new long[ServiceClass.COUNT];
  private long sentOverhead;
  private long receivedOverhead;
  private long unknownReceiver;
  private long endedBlackHoles;
  private volatile List<TunnelSession> present = List.of();

  /// Adds a session that has begun.
  void begin(TunnelSession session) {
    List<TunnelSession> next = new ArrayList<>(present);
    next.add(session);
    present = List.copyOf(next);
  }

  /// Keeps the totals of a session that has ended.
  void retire(TunnelSession ended) {
    present = present.stream().filter(each -> each != ended).toList();
    verdicts.addAll(ended.verdicts());
    for (ServiceClass each : ServiceClass.values()) {
      int c = each.ordinal();
      sentPre[c] += ended.totals().sent(each).preBytes();
      sentPost[c] += ended.totals().sent(each).postBytes();
      receivedPre[c] += ended.totals().received(each).preBytes();
      receivedPost[c] += ended.totals().received(each).postBytes();
    }
    endedBlackHoles += ended.mtu().blackHoles();
    sentOverhead += ended.totals().sentOverheadBytes();
    receivedOverhead += ended.totals().receivedOverheadBytes();
  }

  /// Returns the size of the largest outer IP packet that is sent now, in bytes; the smallest one
  /// of several sessions, 0 without a session.
  public int pathMtu() {
    return present.stream().mapToInt(each -> each.mtu().size()).min().orElse(0);
  }

  /// Returns the number of times that packets of the size in use were no longer delivered.
  public long blackHoles() {
    return endedBlackHoles + present.stream().mapToLong(each -> each.mtu().blackHoles()).sum();
  }

  /// Counts a datagram for an unknown or ended session.
  void unknownReceiver() {
    unknownReceiver++;
  }

  /// Returns the number of datagrams, records and packets with this verdict.
  public long verdict(Verdict verdict) {
    return verdicts.of(verdict)
        + present.stream().mapToLong(each -> each.verdicts().of(verdict)).sum()
        + (verdict == Verdict.UNKNOWN_RECEIVER ? unknownReceiver : 0);
  }

  /// Returns the bytes of inner IP packets.
  public long preBytes(Direction direction, ServiceClass of) {
    long[] ended = direction == Direction.SENT ? sentPre : receivedPre;
    return ended[of.ordinal()] + sum(direction, of, FlowCounters::preBytes);
  }

  /// Returns the inner IP bytes of all classes in both directions.
  public long preBytes() {
    long bytes = 0;
    for (ServiceClass each : ServiceClass.values()) {
      bytes += preBytes(Direction.SENT, each) + preBytes(Direction.RECEIVED, each);
    }
    return bytes;
  }

  /// Returns the bytes of the outer IP packets that carried them.
  public long postBytes(Direction direction, ServiceClass of) {
    long[] ended = direction == Direction.SENT ? sentPost : receivedPost;
    return ended[of.ordinal()] + sum(direction, of, FlowCounters::postBytes);
  }

  /// Returns the pacing rate of datagrams in bit/s, of all sessions together; infinite if one of
  /// them has no limit, or there is none.
  public double pacedBitPerSecond() {
    List<TunnelSession> now = present;
    return now.isEmpty()
        ? Double.POSITIVE_INFINITY
        : now.stream().mapToDouble(TunnelSession::pacedBitPerSecond).sum();
  }

  /// Returns the outer bytes that belong to no flow: probes, acknowledgements, statistics.
  public long overheadBytes(Direction direction) {
    return direction == Direction.SENT
        ? sentOverhead + present.stream().mapToLong(each -> each.totals().sentOverheadBytes()).sum()
        : receivedOverhead
            + present.stream().mapToLong(each -> each.totals().receivedOverheadBytes()).sum();
  }

  private long sum(Direction direction, ServiceClass of, ToLongFunction<FlowCounters> count) {
    long sum = 0;
    for (TunnelSession each : present) {
      sum +=
          count.applyAsLong(
              direction == Direction.SENT ? each.totals().sent(of) : each.totals().received(of));
    }
    return sum;
  }

  /// The direction from the device's point of view.
  public enum Direction {
    SENT,
    RECEIVED
  }
}
