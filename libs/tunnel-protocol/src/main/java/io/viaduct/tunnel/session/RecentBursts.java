package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;

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

  private final LoopMemory memory;
  private final BurstQueue bursts = new BurstQueue(BURSTS_MAX, BYTES_MAX);
  private boolean isConfirmed;
  private long confirmedNs;

  RecentBursts(LoopMemory memory) {
    this.memory = memory;
  }

  boolean isEmpty() {
    return bursts.isEmpty();
  }

  /// Keeps a copy of a burst that leaves now. The oldest ones give way to it. While the sessions of
  /// the loop together have no room for it, it is not kept.
  void add(ByteBuf burst, int length, int ofSegment, long nowNs) {
    expire(nowNs);
    while (!bursts.isEmpty() && !(bursts.hasRoom(length) && memory.kept.hasRoom(length))) {
      drop();
    }
    if (memory.kept.hasRoom(length)) {
      memory.kept.take(length);
      bursts.add(
          memory.allocator.directBuffer(length).writeBytes(burst, 0, length), ofSegment, nowNs);
    }
  }

  private ByteBuf take() {
    ByteBuf burst = bursts.take();
    memory.kept.giveBack(burst.readableBytes());
    return burst;
  }

  private void drop() {
    take().release();
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
      drop();
    }
  }

  /// Gives what may be lost with the path to one that works, in the order in which it left.
  void moveTo(CopyQueue other, long nowNs) {
    while (isConfirmed && !bursts.isEmpty() && bursts.oldestNs() - confirmedNs < 0) {
      drop();
    }
    moveAllTo(other, nowNs);
  }

  /// Gives everything to a path that works, in the order in which it left.
  void moveAllTo(CopyQueue other, long nowNs) {
    expire(nowNs);
    while (!bursts.isEmpty()) {
      int segment = bursts.oldestSegmentBytes();
      other.add(take(), segment, nowNs);
    }
  }

  /// Forgets everything.
  void clear() {
    while (!bursts.isEmpty()) {
      drop();
    }
  }
}
