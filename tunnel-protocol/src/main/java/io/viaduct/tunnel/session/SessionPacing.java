package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.history.ClassCodecs;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.pacing.ReceiptSchedule;
import io.viaduct.tunnel.scheduling.ClassQueues;
import io.viaduct.tunnel.scheduling.CongestionMark;
import io.viaduct.tunnel.scheduling.DelayControl;
import io.viaduct.tunnel.wire.PathMessage;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Pacing in one session: what it tells the peer of arrivals, what it learns from the peer's, and
/// which packets enter the queue of their class. Without a limit queues are short, and only their
/// bounds count. With one they are the path's own, so each is kept short by [DelayControl] and
/// holds at most what the path carries in 200 ms, and in 1 s of its floor while a class above it
/// wants the line: one class's excess never stops another, and none waits for its own.
final class SessionPacing {
  private static final double SECONDS_MOST = 0.2;
  private static final double SHARE_SECONDS_MOST = 1;

  /// A class that waits for longer than this wants the line; shorter is a burst.
  private static final long STANDS_NS = 10_000_000;

  private static final double BODY_SECONDS_MOST = 0.002;
  private static final int BYTES_LEAST = 16_384;

  private final Pacer pacer;
  private final ClassQueues queues;
  private final ClassCodecs codecs;
  private final ReceiptSchedule receipts;
  private final DelayControl[] controls = new DelayControl[ServiceClass.COUNT];

  /// @param watched whether the peer watches the path by what comes from here
  /// @param seed of the chance
  SessionPacing(
      boolean watched, Pacer pacer, ClassQueues queues, ClassCodecs codecs, long seed, long nowNs) {
    this.pacer = pacer;
    this.queues = queues;
    this.codecs = codecs;
    receipts = new ReceiptSchedule(watched, nowNs);
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      controls[c] = new DelayControl(seed + c, nowNs);
    }
    tellCodecs();
  }

  Pacer pacer() {
    return pacer;
  }

  /// @return QUEUED; MARKED, the mark is set in the packet; or why it must be dropped
  Verdict admit(ServiceClass of, ByteBuf packet, int ip, int length, long nowNs) {
    if (!queues.hasRoom(of, length)) {
      return Verdict.queueFull(of);
    }
    if (!pacer.limits()) {
      return Verdict.QUEUED;
    }
    int queued = queues.bytes(of);
    double share = queues.share(of, STANDS_NS, nowNs);
    double seconds = Math.min(SECONDS_MOST, share * SHARE_SECONDS_MOST);
    if (queued > Math.max(BYTES_LEAST, pacer.bytesPerSecond() * seconds)) {
      return Verdict.queueFull(of);
    }
    boolean markable = CongestionMark.understood(packet, ip);
    return switch (controls[of.ordinal()].arrival(
        queues.waitNs(of, nowNs), queued, markable, nowNs)) {
      case TAKE -> Verdict.QUEUED;
      case DROP -> Verdict.early(of);
      case MARK -> {
        CongestionMark.set(packet, ip);
        yield Verdict.MARKED;
      }
    };
  }

  /// How long a body may be that is sealed as one, of so much without pacing: what the path carries
  /// in 2 ms, for everything else waits behind it.
  int bodyBytes(int most) {
    double paced = pacer.bytesPerSecond() * BODY_SECONDS_MOST;
    return paced >= most ? most : paced < BodyLimit.BYTES_MIN ? 0 : (int) paced;
  }

  /// Datagrams have arrived, of so many bytes with their IP headers.
  ///
  /// @param of their class if they were DATA, else null
  void arrived(int outerBytes, int largestBytes, @Nullable ServiceClass of, long nowNs) {
    receipts.arrived(outerBytes, largestBytes);
    if (of != null) {
      receipts.data(nowNs);
      codecs.of(of).answered(outerBytes, nowNs);
    }
  }

  /// It said when it left, by the peer's clock.
  void stamped(int stampUs, long nowNs) {
    receipts.delay((int) (nowNs / 1000) - stampUs);
  }

  /// @return what the peer should know now, null for nothing
  PathMessage.@Nullable Receipt dueReceipt(long nowNs) {
    return receipts.due(pacer.sentNs(), nowNs);
  }

  /// The peer says what has arrived there.
  void receipt(PathMessage.Receipt receipt, double roundTripUs, long nowNs) {
    pacer.receipt(receipt, roundTripUs, nowNs);
    tellCodecs();
  }

  /// Another path: nothing is known of it.
  void pathChanged() {
    pacer.pathChanged();
    tellCodecs();
  }

  private void tellCodecs() {
    codecs.pacing(pacer.limits() ? (long) pacer.bytesPerSecond() : 0);
  }
}
