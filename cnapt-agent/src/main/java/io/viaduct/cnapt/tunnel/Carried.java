package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Totals over all sessions of this agent: those that have ended plus the current one, so that
/// meters never fall back. Written by the data path's event loop; a reader of another thread may
/// lag.
public final class Carried {
  private final long[] verdicts = new long[Verdict.COUNT];
  private final long[] sentPre = new long[ServiceClass.COUNT];
  private final long[] sentPost = new long[ServiceClass.COUNT];
  private final long[] receivedPre = new long[ServiceClass.COUNT];
  private final long[] receivedPost = new long[ServiceClass.COUNT];
  private long sentOverhead;
  private long receivedOverhead;
  private long unknownReceiver;
  private long endedBlackHoles;
  private volatile @Nullable TunnelSession current;

  /// A session begins.
  void begin(TunnelSession session) {
    current = session;
  }

  /// The current session has ended: its totals stay.
  void retire() {
    TunnelSession ended = current;
    if (ended == null) {
      return;
    }
    current = null;
    for (int i = 0; i < verdicts.length; i++) {
      verdicts[i] += ended.verdicts()[i];
    }
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

  /// Bytes of the largest outer IP packets that leave now, 0 without a session.
  public int pathMtu() {
    TunnelSession session = current;
    return session == null ? 0 : session.mtu().size();
  }

  /// How often the size that was in use came through no more.
  public long blackHoles() {
    TunnelSession session = current;
    return endedBlackHoles + (session == null ? 0 : session.mtu().blackHoles());
  }

  /// A datagram came for a session that is not ours, or not ours any more.
  void unknownReceiver() {
    unknownReceiver++;
  }

  /// How often datagrams, records and packets met this fate.
  public long verdict(Verdict verdict) {
    TunnelSession session = current;
    return verdicts[verdict.ordinal()]
        + (session == null ? 0 : session.verdicts()[verdict.ordinal()])
        + (verdict == Verdict.UNKNOWN_RECEIVER ? unknownReceiver : 0);
  }

  /// Bytes of inner IP packets.
  public long preBytes(Direction direction, ServiceClass of) {
    FlowCounters counters = counters(direction, of);
    long[] ended = direction == Direction.SENT ? sentPre : receivedPre;
    return ended[of.ordinal()] + (counters == null ? 0 : counters.preBytes());
  }

  /// Bytes of the outer IP packets that carried them.
  public long postBytes(Direction direction, ServiceClass of) {
    FlowCounters counters = counters(direction, of);
    long[] ended = direction == Direction.SENT ? sentPost : receivedPost;
    return ended[of.ordinal()] + (counters == null ? 0 : counters.postBytes());
  }

  /// Bit/s that datagrams are paced to, infinite without a limit.
  public double pacedBitPerSecond() {
    TunnelSession session = current;
    return session == null ? Double.POSITIVE_INFINITY : session.pacedBitPerSecond();
  }

  /// Outer bytes of no flow: probes, acknowledgements, statistics.
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

  /// As the device sees it.
  public enum Direction {
    SENT,
    RECEIVED
  }
}
