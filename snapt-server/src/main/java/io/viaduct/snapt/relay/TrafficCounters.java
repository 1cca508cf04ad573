package io.viaduct.snapt.relay;

import io.viaduct.snapt.metering.RelayOutcome;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;

/// Counts the carried and refused packets of one event loop since the start, including those of
/// ended sessions. The loop writes, and other threads read without locks. A reader may see old
/// values, but never a torn one on a 64-bit machine.
public final class TrafficCounters {
  /// Directions as the device sees them.
  public enum Direction {
    UP,
    DOWN
  }

  /// The quantities that are counted for each direction and service class.
  public enum Measure {
    /// Inner packets.
    PACKETS,
    /// Inner IP bytes.
    PRE_BYTES,
    /// Outer IP bytes.
    POST_BYTES
  }

  // values() allocates an array on each call, and these counters change with each packet.
  private static final int MEASURES = Measure.values().length;
  private static final int OUTCOMES = Translated.values().length;
  private static final int PER_DIRECTION = ServiceClass.COUNT * MEASURES;

  private final VerdictCounters verdicts = new VerdictCounters();
  private final long[] translated = new long[2 * OUTCOMES];
  private final long[] refused = new long[EgressRefusal.values().length];
  private final long[] drops = new long[Drop.values().length];
  private final long[] traffic = new long[2 * PER_DIRECTION];
  private final long[] overhead = new long[2];
  private final long[] egress = new long[2];
  private final long[] relayed = new long[RelayOutcome.values().length];
  private final long[] carriers = new long[Carrier.values().length];
  private long answeredRefusals;
  private long late;
  private long handedOver;
  private long turned;
  private long socketFull;

  /// The last counter values that were read from one session. The next read adds only the
  /// difference.
  static final class Seen {
    private final VerdictCounters verdicts = new VerdictCounters();
    private final long[] traffic = new long[2 * PER_DIRECTION];
    private final long[] overhead = new long[2];
  }

  /// Adds the traffic of a session since the last call.
  void absorb(TunnelSession tunnel, Seen seen) {
    verdicts.addNew(tunnel.verdicts(), seen.verdicts);
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

  private static void add(long[] to, long[] seen, int index, long total) {
    to[index] += total - seen[index];
    seen[index] = total;
  }

  private static int index(Direction direction, int cls, Measure measure) {
    return direction.ordinal() * PER_DIRECTION + cls * MEASURES + measure.ordinal();
  }

  void count(Verdict verdict) {
    verdicts.count(verdict);
  }

  /// @param packets the number of segments of a superpacket, else 1
  void count(Direction direction, Translated outcome, int packets, int bytes) {
    translated[direction.ordinal() * OUTCOMES + outcome.ordinal()] += packets;
    if (outcome == Translated.FORWARDED) {
      egress[direction.ordinal()] += bytes;
    }
  }

  /// @param packets the number of segments of a superpacket, else 1
  void count(EgressRefusal reason, int packets) {
    refused[reason.ordinal()] += packets;
  }

  /// Counts an ICMP error that was sent to a device.
  void countAnswered() {
    answeredRefusals++;
  }

  /// Returns the number of refused packets that were answered with an ICMP error.
  public long answeredRefusals() {
    return answeredRefusals;
  }

  /// Counts outer bytes that came or went by the session of a neighbour.
  void countRelayed(RelayOutcome outcome, long bytes) {
    relayed[outcome.ordinal()] += bytes;
  }

  /// Returns the outer bytes that came or went by the session of a neighbour.
  public long of(RelayOutcome outcome) {
    return relayed[outcome.ordinal()];
  }

  void count(Drop reason) {
    count(reason, 1);
  }

  void count(Drop reason, int packets) {
    drops[reason.ordinal()] += packets;
  }

  /// Counts a session's change to this carrier.
  void count(Carrier carrier) {
    carriers[carrier.ordinal()]++;
  }

  void countSocketFull() {
    socketFull++;
  }

  /// Returns how often datagrams had to wait because the UDP socket's buffer was full.
  public long socketFull() {
    return socketFull;
  }

  /// Counts a packet or datagram that was read here but belongs to another loop.
  void countHandedOver() {
    handedOver++;
  }

  /// Returns the number of packets and datagrams that were copied to another loop. The kernel
  /// selects a TUN queue by the flow, not by the session.
  public long handedOver() {
    return handedOver;
  }

  /// Counts packets between two sessions that were turned back to the kernel.
  void countTurned(int packets) {
    turned += packets;
  }

  /// Returns the number of packets to a public address that the sessions share, which were turned
  /// back to the kernel. It drops those that the other session has not asked for.
  public long turned() {
    return turned;
  }

  /// Counts sessions that must wait for the next checkpoint.
  void countLate(int sessions) {
    late += sessions;
  }

  /// Returns how many times a session had to wait for the next checkpoint, 50 ms later.
  public long late() {
    return late;
  }

  /// Returns the number of changes to a carrier. A session that ends on the control connection
  /// counts as a change back to UDP.
  public long of(Carrier carrier) {
    return carriers[carrier.ordinal()];
  }

  public long of(Verdict verdict) {
    return verdicts.of(verdict);
  }

  public long of(Direction direction, Translated outcome) {
    return translated[direction.ordinal() * OUTCOMES + outcome.ordinal()];
  }

  /// Returns the number of packets that were refused for this reason, in both directions.
  public long of(EgressRefusal reason) {
    return refused[reason.ordinal()];
  }

  public long of(Drop reason) {
    return drops[reason.ordinal()];
  }

  public long of(Direction direction, ServiceClass serviceClass, Measure measure) {
    return traffic[index(direction, serviceClass.ordinal(), measure)];
  }

  /// Returns the outer bytes that belong to no flow.
  public long overhead(Direction direction) {
    return overhead[direction.ordinal()];
  }

  /// Returns the inner IP bytes that have passed the address translation.
  public long egressBytes(Direction direction) {
    return egress[direction.ordinal()];
  }
}
