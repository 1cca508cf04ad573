package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/// Keeps the low-delay bursts that have left by a path lately. They leave again by another one if
/// the path is lost, or begins to lose: the peer drops those that it has
/// ([io.viaduct.tunnel.wire.Verdict#COPY]), so a move loses nothing (docs/adr/0040). What is old is
/// of no use to a low-delay application, and is not kept.
///
/// A path keeps the order of its datagrams but for some jitter. So after the loss of a path that
/// has lost nothing before, the arrival of one datagram confirms those that left before it. If a
/// path begins to lose, nothing is confirmed.
final class RecentBursts {
  static final int BURSTS_MAX = 512;

  /// A second of 1.3 Mbit/s.
  static final int BYTES_MAX = 163_840;

  static final long AGE_NS_MAX = 1_000_000_000;

  /// Time by which jitter may change the order of a path.
  static final long DISORDER_NS = 20_000_000;

  private final ByteBufAllocator allocator;
  private final BurstQueue bursts = new BurstQueue(BURSTS_MAX, BYTES_MAX);
  private boolean isConfirmed;
  private long confirmedNs;

  RecentBursts(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /// Keeps a copy of a burst that leaves now. The oldest ones give way to it.
  void add(ByteBuf burst, int length, int ofSegment, long nowNs) {
    expire(nowNs);
    while (!bursts.hasRoom(length)) {
      bursts.take().release();
    }
    bursts.add(allocator.directBuffer(length).writeBytes(burst, 0, length), ofSegment, nowNs);
  }

  /// Notes that a datagram has arrived.
  ///
  /// @param leftNs time at which that datagram left
  void confirmed(long leftNs) {
    isConfirmed = true;
    confirmedNs = leftNs - DISORDER_NS;
  }

  /// Forgets what is too old.
  void expire(long nowNs) {
    while (!bursts.isEmpty() && nowNs - bursts.oldestNs() > AGE_NS_MAX) {
      bursts.take().release();
    }
  }

  /// Gives what may be lost with the path to one that works, in the order in which it left.
  void moveTo(CopyQueue other, long nowNs) {
    while (isConfirmed && !bursts.isEmpty() && bursts.oldestNs() - confirmedNs < 0) {
      bursts.take().release();
    }
    moveAllTo(other, nowNs);
  }

  /// Gives everything to a path that works, in the order in which it left.
  void moveAllTo(CopyQueue other, long nowNs) {
    expire(nowNs);
    while (!bursts.isEmpty()) {
      int segment = bursts.oldestSegmentBytes();
      other.add(bursts.take(), segment, nowNs);
    }
  }

  /// Forgets everything.
  void clear() {
    while (!bursts.isEmpty()) {
      bursts.take().release();
    }
  }
}
