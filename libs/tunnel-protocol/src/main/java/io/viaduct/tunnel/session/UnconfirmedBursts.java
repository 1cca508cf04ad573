package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/// Keeps the low-delay bursts that have left by a path, until the peer is known to have what left
/// then. If the path is lost before, they leave again by another one: the peer drops those that it
/// has ([io.viaduct.tunnel.wire.Verdict#COPY]), so the move loses nothing (docs/adr/0040).
///
/// A path keeps the order of its datagrams but for some jitter. So the arrival of one datagram
/// confirms those that left before it; what a standing path loses on its way is not repeated. What
/// is old is of no use to a low-delay application, and is not kept.
final class UnconfirmedBursts {
  static final int BURSTS_MAX = 512;
  static final int BYTES_MAX = 65_536;
  static final long AGE_NS_MAX = 500_000_000;

  /// Time by which jitter may change the order of a path.
  static final long DISORDER_NS = 20_000_000;

  private final ByteBufAllocator allocator;
  private final BurstQueue bursts = new BurstQueue(BURSTS_MAX, BYTES_MAX);

  UnconfirmedBursts(ByteBufAllocator allocator) {
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

  /// Forgets what left before a datagram that has arrived.
  ///
  /// @param leftNs time at which that datagram left
  void confirmed(long leftNs) {
    while (!bursts.isEmpty() && bursts.oldestNs() - leftNs < -DISORDER_NS) {
      bursts.take().release();
    }
  }

  /// Forgets what is too old.
  void expire(long nowNs) {
    while (!bursts.isEmpty() && nowNs - bursts.oldestNs() > AGE_NS_MAX) {
      bursts.take().release();
    }
  }

  /// Gives everything to a path that works, in the order in which it left.
  void moveTo(CopyQueue other, long nowNs) {
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
