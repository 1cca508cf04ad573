package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Holds bursts that were sealed for another path until they leave by this one too: second copies,
/// and what a lost path may have lost. They are the same bytes, so no nonce seals two inputs.
///
/// A late copy is of little use: what does not fit into the bounds, or has waited too long here, is
/// counted as COPY_NOT_SENT.
final class CopyQueue {
  static final int BURSTS_MAX = 512;
  static final int BYTES_MAX = RecentBursts.BYTES_MAX;

  /// Longest wait of a second copy: later the first one has arrived, or its loss is noticed.
  static final long COPY_WAIT_NS_MAX = 100_000_000;

  /// Longest wait of what a lost path may have lost: nothing else brings it.
  static final long REPEAT_WAIT_NS_MAX = RecentBursts.AGE_NS_MAX;

  private final ByteBufAllocator allocator;
  private final Pacer pacer;
  private final PathBudget budget;
  private final SessionTotals totals;
  private final VerdictCounters verdicts;
  private final long waitNsMax;
  private final BurstQueue bursts = new BurstQueue(BURSTS_MAX, BYTES_MAX);
  private long heldUntilNs = Long.MAX_VALUE;

  /// @param waitNsMax longest wait of a burst
  CopyQueue(
      ByteBufAllocator allocator,
      Pacer pacer,
      PathBudget budget,
      SessionTotals totals,
      VerdictCounters verdicts,
      long waitNsMax) {
    this.waitNsMax = waitNsMax;
    this.allocator = allocator;
    this.pacer = pacer;
    this.budget = budget;
    this.totals = totals;
    this.verdicts = verdicts;
  }

  boolean isEmpty() {
    return bursts.isEmpty();
  }

  /// Returns the time at which a paced copy may leave; Long.MAX_VALUE if none is held back.
  long heldUntilNs() {
    return heldUntilNs;
  }

  /// Adds a copy of a burst.
  ///
  /// @param length bytes of all its datagrams
  /// @param ofSegment bytes of each datagram but the last
  void copy(ByteBuf burst, int length, int ofSegment, long nowNs) {
    if (fits(length, ofSegment)) {
      bursts.add(allocator.directBuffer(length).writeBytes(burst, 0, length), ofSegment, nowNs);
    } else {
      notSent(length, ofSegment);
    }
  }

  /// Takes a burst over.
  void add(ByteBuf burst, int ofSegment, long nowNs) {
    if (fits(burst.readableBytes(), ofSegment)) {
      bursts.add(burst, ofSegment, nowNs);
    } else {
      notSent(burst.readableBytes(), ofSegment);
      burst.release();
    }
  }

  private boolean fits(int length, int ofSegment) {
    return bursts.hasRoom(length) && ofSegment <= budget.datagramBytesMax();
  }

  private void notSent(int length, int ofSegment) {
    verdicts.add(Verdict.COPY_NOT_SENT, BurstQueue.datagrams(length, ofSegment));
  }

  /// Sends the copies that the sink and the path's rate accept.
  ///
  /// @return true if copies wait for the sink
  boolean drain(DatagramSink sink, @Nullable InetSocketAddress to, long nowNs) {
    heldUntilNs = Long.MAX_VALUE;
    while (!bursts.isEmpty()) {
      if (nowNs - bursts.oldestNs() > waitNsMax) {
        drop();
      } else if (!sink.isWritable()) {
        return true;
      } else if (pacer.allowance(nowNs) == 0) {
        heldUntilNs = pacer.holdUntilNs();
        return false;
      } else {
        send(sink, to, nowNs);
      }
    }
    return false;
  }

  private void send(DatagramSink sink, @Nullable InetSocketAddress to, long nowNs) {
    int segment = bursts.oldestSegmentBytes();
    ByteBuf burst = bursts.take();
    int length = burst.readableBytes();
    int datagrams = BurstQueue.datagrams(length, segment);
    totals.sentOverhead(length + datagrams * budget.headerBytes());
    pacer.sent(length + datagrams * budget.headerBytes(), nowNs);
    budget.mtu.sent(segment + budget.headerBytes(), datagrams, nowNs);
    sink.send(burst, segment, to, nowNs);
  }

  /// Drops all copies: the path no longer leads to the peer, or the session ends.
  void clear() {
    heldUntilNs = Long.MAX_VALUE;
    while (!bursts.isEmpty()) {
      drop();
    }
  }

  private void drop() {
    int segment = bursts.oldestSegmentBytes();
    ByteBuf burst = bursts.take();
    notSent(burst.readableBytes(), segment);
    burst.release();
  }
}
