package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import org.jspecify.annotations.Nullable;

/// Totals over all sessions of this agent: the ended ones plus the current one, so that counters
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
  private volatile @Nullable TunnelSession current;

  /// Sets the current session.
  void begin(TunnelSession session) {
    current = session;
  }

  /// Adds the totals of the current session, which has ended.
  void retire() {
    TunnelSession ended = current;
    if (ended == null) {
      return;
    }
    current = null;
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

  /// Returns the size of the largest outer IP packet that is sent now, in bytes; 0 without a
  /// session.
  public int pathMtu() {
    TunnelSession session = current;
    return session == null ? 0 : session.mtu().size();
  }

  /// Returns the number of times that packets of the size in use were no longer delivered.
  public long blackHoles() {
    TunnelSession session = current;
    return endedBlackHoles + (session == null ? 0 : session.mtu().blackHoles());
  }

  /// Counts a datagram for an unknown or ended session.
  void unknownReceiver() {
    unknownReceiver++;
  }

  /// Returns the number of datagrams, records and packets with this verdict.
  public long verdict(Verdict verdict) {
    TunnelSession session = current;
    return verdicts.of(verdict)
        + (session == null ? 0 : session.verdicts().of(verdict))
        + (verdict == Verdict.UNKNOWN_RECEIVER ? unknownReceiver : 0);
  }

  /// Returns the bytes of inner IP packets.
  public long preBytes(Direction direction, ServiceClass of) {
    FlowCounters counters = counters(direction, of);
    long[] ended = direction == Direction.SENT ? sentPre : receivedPre;
    return ended[of.ordinal()] + (counters == null ? 0 : counters.preBytes());
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
    FlowCounters counters = counters(direction, of);
    long[] ended = direction == Direction.SENT ? sentPost : receivedPost;
    return ended[of.ordinal()] + (counters == null ? 0 : counters.postBytes());
  }

  /// Returns the pacing rate of datagrams in bit/s; infinite if there is no limit.
  public double pacedBitPerSecond() {
    TunnelSession session = current;
    return session == null ? Double.POSITIVE_INFINITY : session.pacedBitPerSecond();
  }

  /// Returns the outer bytes that belong to no flow: probes, acknowledgements, statistics.
  public long overheadBytes(Direction direction) {
    TunnelSession session = current;
    return direction == Direction.SENT
        ? sentOverhead + (session == null ? 0 : session.totals().sentOverheadBytes())
        : receivedOverhead + (session == null ? 0 : session.totals().receivedOverheadBytes());
  }

  private @Nullable FlowCounters counters(Direction direction, ServiceClass of) {
    TunnelSession session = current;
    if (session == null) {
      return null;
    }
    return direction == Direction.SENT ? session.totals().sent(of) : session.totals().received(of);
  }

  /// The direction from the device's point of view.
  public enum Direction {
    SENT,
    RECEIVED
  }
}
