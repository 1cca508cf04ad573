package io.viaduct.tunnel.session;

import io.viaduct.tunnel.codec.ClassCodecs;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.pacing.ArrivalRate;
import io.viaduct.tunnel.pacing.KnownRate;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.pacing.ReceiptSchedule;
import io.viaduct.tunnel.pacing.SpareRate;
import io.viaduct.tunnel.scheduling.ClassQueues;
import io.viaduct.tunnel.scheduling.CongestionMark;
import io.viaduct.tunnel.scheduling.DelayControl;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.PathMessage;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Paces one session: reports arrivals to the peer, learns the path's rate from the peer's
/// receipts, and admits packets to the queue of their class.
///
/// Without a rate limit the queues are short, and only their bounds count. With a limit the path's
/// queue stands here, so each class queue is kept short by [DelayControl]. A class queue holds at
/// most the bytes that the path carries in 200 ms. While a higher class has a standing queue, it
/// also holds at most 1 s of its floor rate. So the excess of one class never stops another class.
final class SessionPacing {
  private static final double SECONDS_MOST = 0.2;
  private static final double SHARE_SECONDS_MOST = 1;

  /// Waiting time above which a class has a standing queue; a shorter wait is a burst.
  private static final long STANDING_QUEUE_NS = 10_000_000;

  /// Time after the last DATA for which a path is in use.
  private static final long IN_USE_NS = 1_000_000_000;

  private static final double BODY_SECONDS_MOST = 0.002;
  private static final int BYTES_LEAST = 16_384;

  private final Pacer pacer;
  private final ClassQueues queues;
  private final ClassCodecs codecs;
  private final boolean measuresArrivals;
  private final ReceiptSchedule receipts;
  private @Nullable ArrivalRate arrivals; // made for the first receipt: most sessions are idle
  private final SpareRate spareTo = new SpareRate();
  private final SpareRate spareFrom = new SpareRate();
  private long fullBeforeNs;
  private long arrivedBefore;
  private long dataNs;
  private boolean dataCame;
  private final DelayControl[] controls = new DelayControl[ServiceClass.COUNT];

  /// Creates the pacing of one session.
  ///
  /// @param watched true if the peer judges the path by the datagrams that it receives from here
  /// @param ofSeveral true if the session may have several paths
  /// @param seed seed of the random decisions
  SessionPacing(
      boolean watched,
      boolean ofSeveral,
      Pacer pacer,
      ClassQueues queues,
      ClassCodecs codecs,
      long seed,
      long nowNs) {
    this.pacer = pacer;
    this.queues = queues;
    this.codecs = codecs;
    measuresArrivals = watched;
    receipts = new ReceiptSchedule(watched, ofSeveral, nowNs);
    startSpare(nowNs);
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      controls[c] = new DelayControl(seed + c, nowNs);
    }
    updateCodecs();
  }

  Pacer pacer() {
    return pacer;
  }

  /// Begins with a rate that another session knows.
  void begin(KnownRate known, long nowNs) {
    pacer.begin(known, nowNs);
    updateCodecs();
  }

  /// Decides about an arriving packet. @return QUEUED; MARKED if the mark was set in the packet; or
  /// the reason why it must be dropped
  Verdict admit(ServiceClass of, IpPacket packet, long nowNs) {
    if (!queues.hasRoom(of, packet.length())) {
      return Verdict.queueFull(of);
    }
    if (!pacer.isLimiting()) {
      return Verdict.QUEUED;
    }
    int queued = queues.bytes(of);
    double share = queues.share(of, STANDING_QUEUE_NS, nowNs);
    double seconds = Math.min(SECONDS_MOST, share * SHARE_SECONDS_MOST);
    if (queued > Math.max(BYTES_LEAST, pacer.bytesPerSecond() * seconds)) {
      return Verdict.queueFull(of);
    }
    boolean markable = CongestionMark.isUnderstood(packet);
    return switch (controls[of.ordinal()].arrival(
        queues.waitNs(of, nowNs), queued, markable, nowNs)) {
      case TAKE -> Verdict.QUEUED;
      case DROP -> Verdict.early(of);
      case MARK -> {
        CongestionMark.set(packet);
        yield Verdict.MARKED;
      }
    };
  }

  /// Returns the largest body, in bytes, that may be sealed as one; `most` without pacing. The
  /// limit is 2 ms of the path's rate, because other packets wait behind the body.
  int bodyBytes(int most) {
    double paced = pacer.bytesPerSecond() * BODY_SECONDS_MOST;
    return paced >= most ? most : paced < BodyLimit.BYTES_MIN ? 0 : (int) paced;
  }

  /// Counts arrived datagrams.
  ///
  /// @param outerBytes their bytes with IP headers
  /// @param of their class if they were DATA, else null
  void arrived(int outerBytes, int largestBytes, @Nullable ServiceClass of, long nowNs) {
    receipts.arrived(outerBytes, largestBytes);
    if (of != null) {
      receipts.data(nowNs);
      dataNs = nowNs;
      dataCame = true;
      codecs.of(of).answered(outerBytes, nowNs);
    }
  }

  /// Takes a datagram of a train that tries the path.
  ///
  /// @param outerBytes bytes of its IP packet
  void train(int run, int outerBytes, long nowNs) {
    if (measuresArrivals) {
      arrivals().train(run, outerBytes, nowNs);
    }
  }

  /// Returns whether DATA have come within the last second.
  boolean isInUse(long nowNs) {
    return dataCame && nowNs - dataNs < IN_USE_NS;
  }

  private ArrivalRate arrivals() {
    ArrivalRate of = arrivals == null ? new ArrivalRate() : arrivals;
    arrivals = of;
    return of;
  }

  /// Takes the time at which a datagram left, by the peer's clock.
  void stamped(int stampUs, long nowNs) {
    receipts.delay((int) (nowNs / 1000) - stampUs);
  }

  /// Returns the receipt to send now, null for none.
  PathMessage.@Nullable Receipt dueReceipt(long nowNs) {
    PathMessage.Receipt due = receipts.due(pacer.sentNs(), nowNs);
    if (due != null && measuresArrivals) {
      arrivals().receipt(due.timeUs(), due.bytes(), nowNs);
    }
    return due;
  }

  /// Starts an interval of [#spareToPeer] and [#spareFromPeer].
  void startSpare(long nowNs) {
    spareTo.start(pacer.sentBytes(), nowNs);
    spareFrom.start(receipts.bytes(), nowNs);
    fullBeforeNs = arrivals == null ? 0 : arrivals.fullNs();
    arrivedBefore = receipts.bytes();
  }

  /// Returns the bytes that the path could have carried towards the peer in the interval.
  double spareToPeer(long nowNs) {
    return spareTo.bytes(pacer.capacityPerSecond(nowNs), pacer.sentBytes(), nowNs);
  }

  /// Returns the bytes that the path could have carried from the peer in the interval, by what has
  /// arrived here. 0 at the device.
  double spareFromPeer(long nowNs) {
    double capacity = arrivals == null ? 0 : arrivals.bytesPerSecond(nowNs);
    return spareFrom.bytes(capacity, receipts.bytes(), nowNs);
  }

  /// Returns the time of the interval in which the path was full from the peer, in ns, by what has
  /// arrived here. 0 at the device.
  long fullFromPeerNs() {
    return arrivals == null ? 0 : Math.max(0, arrivals.fullNs() - fullBeforeNs);
  }

  /// Returns the bytes of outer IP packets that have arrived in the interval.
  long arrivedInInterval() {
    return receipts.bytes() - arrivedBefore;
  }

  /// Returns the bytes of outer IP packets that have arrived by the path, low 32 bits.
  int arrivedBytes() {
    return (int) receipts.bytes();
  }

  /// Takes the peer's report about arrivals.
  void receipt(PathMessage.Receipt receipt, double roundTripUs, long nowNs) {
    pacer.receipt(receipt, roundTripUs, nowNs);
    updateCodecs();
  }

  /// Forgets all measurements, because the path has changed.
  void pathChanged() {
    pacer.pathChanged();
    arrivals = null;
    updateCodecs();
  }

  private void updateCodecs() {
    codecs.pacing(pacer.isLimiting() ? (long) pacer.bytesPerSecond() : 0);
  }
}
