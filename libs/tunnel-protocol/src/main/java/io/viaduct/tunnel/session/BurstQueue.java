package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/// A bounded queue of sealed bursts with the time at which each was added. Its arrays are made for
/// the first burst and grow with need: most sessions have none.
final class BurstQueue {
  private static final int LEAST = 16;
  private static final @Nullable ByteBuf[] NO_BURSTS = {};
  private static final int[] NO_INTS = {};
  private static final long[] NO_LONGS = {};

  private final int burstsMax;
  private final int bytesMax;
  private @Nullable ByteBuf[] bursts = NO_BURSTS;
  private int[] segmentBytes = NO_INTS;
  private long[] addedNs = NO_LONGS;
  private int first;
  private int count;
  private int bytes;

  /// @param burstsMax a power of two, at least 16
  /// @param bytesMax bytes of all bursts together
  BurstQueue(int burstsMax, int bytesMax) {
    this.burstsMax = burstsMax;
    this.bytesMax = bytesMax;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /// Returns whether a burst of this length fits into both bounds.
  boolean hasRoom(int length) {
    return count < burstsMax && bytes + length <= bytesMax;
  }

  /// Adds a burst, which must fit, and takes it over.
  ///
  /// @param burst its readable bytes are datagrams
  /// @param ofSegment bytes of each datagram but the last
  void add(ByteBuf burst, int ofSegment, long nowNs) {
    if (count == bursts.length) {
      grow();
    }
    int at = slot(count++);
    bursts[at] = burst;
    segmentBytes[at] = ofSegment;
    addedNs[at] = nowNs;
    bytes += burst.readableBytes();
  }

  /// Returns the time at which the oldest burst was added.
  long oldestNs() {
    return addedNs[first];
  }

  /// Returns the bytes of each datagram of the oldest burst but its last.
  int oldestSegmentBytes() {
    return segmentBytes[first];
  }

  /// Removes the oldest burst, and gives it to the caller.
  ByteBuf take() {
    ByteBuf burst = count == 0 ? null : bursts[first];
    if (burst == null) {
      throw new IllegalStateException("the queue is empty");
    }
    bursts[first] = null;
    first = slot(1);
    count--;
    bytes -= burst.readableBytes();
    return burst;
  }

  private int slot(int after) {
    return first + after & bursts.length - 1;
  }

  private void grow() {
    int length = Math.max(LEAST, 2 * bursts.length);
    @Nullable ByteBuf[] more = new ByteBuf[length];
    int[] moreSegments = new int[length];
    long[] moreAdded = new long[length];
    for (int i = 0; i < count; i++) {
      int from = slot(i);
      more[i] = bursts[from];
      moreSegments[i] = segmentBytes[from];
      moreAdded[i] = addedNs[from];
    }
    bursts = more;
    segmentBytes = moreSegments;
    addedNs = moreAdded;
    first = 0;
  }

  /// Returns the number of datagrams of a burst.
  static int datagrams(int length, int ofSegment) {
    return (length + ofSegment - 1) / ofSegment;
  }
}
