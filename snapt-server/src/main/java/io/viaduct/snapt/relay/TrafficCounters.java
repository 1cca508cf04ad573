package io.viaduct.snapt.relay;

import io.viaduct.snapt.napt.Translated;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.SessionTotals;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;

/// What one event loop has carried and refused since the start, its ended sessions included.
/// Written by the loop; others read without locks: a reader may lag, and never sees a torn value on
/// 64 bits.
public final class TrafficCounters {
  /// Directions as the device sees them.
  public enum Direction {
    UP,
    DOWN
  }

  /// What is counted of each direction and class.
  public enum Measure {
    /// Inner packets.
    PACKETS,
    /// Inner IP bytes.
    PRE_BYTES,
    /// Outer IP bytes.
    POST_BYTES
  }

  // values() makes an array each time, and these are counted per packet.
  private static final int MEASURES = Measure.values().length;
  private static final int OUTCOMES = Translated.values().length;
  private static final int PER_DIRECTION = ServiceClass.COUNT * MEASURES;

  private final long[] verdicts = new long[Verdict.COUNT];
  private final long[] translated = new long[2 * OUTCOMES];
  private final long[] refused = new long[EgressRefusal.values().length];
  private final long[] drops = new long[Drop.values().length];
  private final long[] traffic = new long[2 * PER_DIRECTION];
  private final long[] overhead = new long[2];
  private final long[] egress = new long[2];
  private final long[] carriers = new long[Carrier.values().length];
  private long late;
  private long handedOver;

  /// What was taken from one session so far, so that the next look adds the difference.
  static final class Seen {
    private final long[] verdicts = new long[Verdict.COUNT];
    private final long[] traffic = new long[2 * PER_DIRECTION];
    private final long[] overhead = new long[2];
  }

  /// Adds what a session did since the last look at it.
  void absorb(TunnelSession tunnel, Seen seen) {
    long[] now = tunnel.verdicts();
    for (int i = 0; i < now.length; i++) {
      verdicts[i] += now[i] - seen.verdicts[i];
      seen.verdicts[i] = now[i];
    }
    SessionTotals totals = tunnel.totals();
    for (int cls = 0; cls < ServiceClass.COUNT; cls++) {
      absorb(totals.received(ServiceClass.of(cls)), Direction.UP, cls, seen);
      absorb(totals.sent(ServiceClass.of(cls)), Direction.DOWN, cls, seen);
    }
    add(overhead, seen.overhead, Direction.UP.ordinal(), totals.receivedOverheadBytes());
    add(overhead, seen.overhead, Direction.DOWN.ordinal(), totals.sentOverheadBytes());
  }

  private void absorb(FlowCounters from, Direction direction, int cls, Seen seen) {
    add(traffic, seen.traffic, index(direction, cls, Measure.PACKETS), from.packets());
    add(traffic, seen.traffic, index(direction, cls, Measure.PRE_BYTES), from.preBytes());
    add(traffic, seen.traffic, index(direction, cls, Measure.POST_BYTES), from.postBytes());
  }

  private static void add(long[] to, long[] seen, int index, long now) {
    to[index] += now - seen[index];
    seen[index] = now;
  }

  private static int index(Direction direction, int cls, Measure measure) {
    return direction.ordinal() * PER_DIRECTION + cls * MEASURES + measure.ordinal();
  }

  void count(Verdict verdict) {
    verdicts[verdict.ordinal()]++;
  }

  /// @param packets of a superpacket, its segments
  void count(Direction direction, Translated outcome, int packets, int bytes) {
    translated[direction.ordinal() * OUTCOMES + outcome.ordinal()] += packets;
    if (outcome == Translated.FORWARDED) {
      egress[direction.ordinal()] += bytes;
    }
  }

  /// @param packets of a superpacket, its segments
  void count(EgressRefusal reason, int packets) {
    refused[reason.ordinal()] += packets;
  }

  void count(Drop reason) {
    count(reason, 1);
  }

  void count(Drop reason, int packets) {
    drops[reason.ordinal()] += packets;
  }

  /// A session's datagrams go by this carrier from now on.
  void count(Carrier carrier) {
    carriers[carrier.ordinal()]++;
  }

  /// A packet or datagram was read here and belongs to another loop.
  void countHandedOver() {
    handedOver++;
  }

  /// What was copied for another loop: the kernel chooses a TUN queue by the flow.
  public long handedOver() {
    return handedOver;
  }

  /// So many sessions had to wait for the next checkpoint.
  void countLate(int sessions) {
    late += sessions;
  }

  /// How often a session had to wait for another checkpoint, 50 ms later.
  public long late() {
    return late;
  }

  /// How often sessions changed to a carrier; one that ends by the control connection changes back.
  public long of(Carrier carrier) {
    return carriers[carrier.ordinal()];
  }

  public long of(Verdict verdict) {
    return verdicts[verdict.ordinal()];
  }

  public long of(Direction direction, Translated outcome) {
    return translated[direction.ordinal() * OUTCOMES + outcome.ordinal()];
  }

  /// Packets that were refused for a reason, in both directions.
  public long of(EgressRefusal reason) {
    return refused[reason.ordinal()];
  }

  public long of(Drop reason) {
    return drops[reason.ordinal()];
  }

  public long of(Direction direction, ServiceClass serviceClass, Measure measure) {
    return traffic[index(direction, serviceClass.ordinal(), measure)];
  }

  /// Outer bytes of no flow.
  public long overhead(Direction direction) {
    return overhead[direction.ordinal()];
  }

  /// Inner IP bytes that passed the translation.
  public long egressBytes(Direction direction) {
    return egress[direction.ordinal()];
  }
}
