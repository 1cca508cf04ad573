package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Holds the second copies of sealed bursts until they leave by this path. They are the same bytes
/// as the first ones, so no nonce seals two inputs.
///
/// A late copy is of little use: what does not fit into the bounds, or has waited too long, is
/// counted as COPY_NOT_SENT. The first copy is on its way by the other path.
final class CopyQueue {
  static final int BURSTS_MAX = 64;
  static final int BYTES_MAX = 65_536;
  static final long WAIT_NS_MAX = 100_000_000;

  private final ByteBufAllocator allocator;
  private final Pacer pacer;
  private final PathBudget budget;
  private final SessionTotals totals;
  private final VerdictCounters verdicts;
  // Made for the first copy: most sessions send none.
  private @Nullable ByteBuf[] bursts = {};
  private int[] segmentBytes = {};
  private long[] sealedNs = {};
  private int first;
  private int count;
  private int bytes;
  private long heldUntilNs = Long.MAX_VALUE;

  CopyQueue(
      ByteBufAllocator allocator,
      Pacer pacer,
      PathBudget budget,
      SessionTotals totals,
      VerdictCounters verdicts) {
    this.allocator = allocator;
    this.pacer = pacer;
    this.budget = budget;
    this.totals = totals;
    this.verdicts = verdicts;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /// Returns the time at which a paced copy may leave; Long.MAX_VALUE if none is held back.
  long heldUntilNs() {
    return heldUntilNs;
  }

  /// Adds a copy of a burst.
  ///
  /// @param length bytes of all its datagrams
  /// @param ofSegment bytes of each datagram but the last
  void add(ByteBuf burst, int length, int ofSegment, long nowNs) {
    if (count == BURSTS_MAX
        || bytes + length > BYTES_MAX
        || ofSegment > budget.datagramBytesMax()) {
      verdicts.add(Verdict.COPY_NOT_SENT, datagrams(length, ofSegment));
      return;
    }
    if (bursts.length == 0) {
      bursts = new ByteBuf[BURSTS_MAX];
      segmentBytes = new int[BURSTS_MAX];
      sealedNs = new long[BURSTS_MAX];
    }
    int at = (first + count++) % BURSTS_MAX;
    bursts[at] = allocator.directBuffer(length).writeBytes(burst, 0, length);
    segmentBytes[at] = ofSegment;
    sealedNs[at] = nowNs;
    bytes += length;
  }

  /// Sends the copies that the sink and the path's rate accept.
  ///
  /// @return true if copies wait for the sink
  boolean drain(DatagramSink sink, @Nullable InetSocketAddress to, long nowNs) {
    heldUntilNs = Long.MAX_VALUE;
    while (count > 0) {
      if (nowNs - sealedNs[first] > WAIT_NS_MAX) {
        drop();
      } else if (!sink.isWritable()) {
        return true;
      } else if (pacer.allowance(nowNs) == 0) {
        heldUntilNs = pacer.holdUntilNs();
        return false;
      } else {
        int segment = segmentBytes[first];
        ByteBuf burst = take();
        int length = burst.readableBytes();
        int datagrams = datagrams(length, segment);
        totals.sentOverhead(length + datagrams * budget.headerBytes());
        pacer.sent(length + datagrams * budget.headerBytes(), nowNs);
        budget.mtu.sent(segment + budget.headerBytes(), datagrams, nowNs);
        sink.send(burst, segment, to, nowNs);
      }
    }
    return false;
  }

  /// Drops all copies: the path no longer leads to the peer, or the session ends.
  void clear() {
    heldUntilNs = Long.MAX_VALUE;
    while (count > 0) {
      drop();
    }
  }

  private void drop() {
    int segment = segmentBytes[first];
    ByteBuf burst = take();
    verdicts.add(Verdict.COPY_NOT_SENT, datagrams(burst.readableBytes(), segment));
    burst.release();
  }

  private ByteBuf take() {
    ByteBuf burst = bursts[first];
    if (burst == null) {
      throw new IllegalStateException("no copy waits");
    }
    bursts[first] = null;
    first = (first + 1) % BURSTS_MAX;
    count--;
    bytes -= burst.readableBytes();
    return burst;
  }

  private static int datagrams(int length, int ofSegment) {
    return (length + ofSegment - 1) / ofSegment;
  }
}
