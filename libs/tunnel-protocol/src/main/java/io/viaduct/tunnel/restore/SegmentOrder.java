package io.viaduct.tunnel.restore;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.terms.TunnelLimits;
import org.jspecify.annotations.Nullable;

/// Order of the segments of one TCP flow that the peer sends by several paths: the next sequence,
/// the segments that wait for it, and what each path has brought.
///
/// A path keeps the order of its datagrams. So a segment that is missing although each path has
/// brought a later one is lost, and need not be waited for, apart from a grace for jitter. The
/// grace doubles if a segment that was given up does come, and shrinks when a retransmission fills
/// the gap. The numbers of the datagrams tell the two apart.
final class SegmentOrder {
  static final long GRACE_NS_MIN = 10_000_000;

  final FlowState flow;
  private boolean begun;
  private int expected;
  private @Nullable HeldSegment head;
  private @Nullable HeldSegment tail;
  private long announcedNs;
  private final int[] highest = new int[TunnelLimits.PATHS_MAX];
  private final long[] heardNs = new long[TunnelLimits.PATHS_MAX];
  private int heard;
  private long lastDatagram = -1;
  private long hopelessNs = Long.MAX_VALUE;
  private long graceNs = GRACE_NS_MIN;
  private int gapFrom;
  private int gapTo;
  private long gapDatagram = -1;

  SegmentOrder(FlowState flow) {
    this.flow = flow;
  }

  void announced(long nowNs) {
    announcedNs = nowNs;
  }

  long announcedNs() {
    return announcedNs;
  }

  boolean isHolding() {
    return head != null;
  }

  /// Returns the first segment that waits, null for none.
  @Nullable HeldSegment head() {
    return head;
  }

  /// Notes a segment of the flow. The sequence of one without payload, SYN and FIN is that of the
  /// next byte: it tells what its path has overtaken, and nothing about the order.
  ///
  /// @param path id of its path, negative if it came by none
  /// @param datagram sequence of its datagram
  void arrived(int sequence, int endSequence, int path, long datagram, long nowNs) {
    boolean isEmpty = sequence == endSequence;
    if (!begun && !isEmpty) {
      begun = true;
      expected = sequence;
    }
    lastDatagram = Math.max(lastDatagram, datagram);
    if (path >= 0) {
      boolean first = (heard & 1 << path) == 0;
      heard |= 1 << path;
      heardNs[path] = nowNs;
      highest[path] = first || endSequence - highest[path] > 0 ? endSequence : highest[path];
    }
    if (gapDatagram >= 0 && !isEmpty && sequence - gapFrom >= 0 && sequence - gapTo < 0) {
      graceNs =
          datagram < gapDatagram
              ? Math.min(2 * graceNs, Resequencer.HOLD_NS)
              : Math.max(GRACE_NS_MIN, graceNs - graceNs / 4);
      gapDatagram = -1;
    }
  }

  /// Returns whether a segment may be delivered now: nothing before it is missing.
  boolean isDue(int sequence) {
    return !begun || sequence - expected <= 0;
  }

  /// Notes that a segment is delivered.
  void delivered(int endSequence) {
    if (endSequence - expected > 0) {
      expected = endSequence;
      hopelessNs = Long.MAX_VALUE;
    }
  }

  /// Adds a segment that waits, at its place in the order.
  void hold(HeldSegment segment) {
    HeldSegment last = tail;
    if (head == null || last == null) {
      head = segment;
      tail = segment;
    } else if (segment.sequence() - last.sequence() >= 0) {
      last.next = segment;
      tail = segment;
    } else if (segment.sequence() - head.sequence() < 0) {
      segment.next = head;
      head = segment;
    } else {
      HeldSegment before = head;
      while (before.next != null && segment.sequence() - before.next.sequence() >= 0) {
        before = before.next;
      }
      segment.next = before.next;
      before.next = segment;
    }
  }

  /// Removes the first segment that waits.
  HeldSegment take() {
    HeldSegment first = head;
    if (first == null) {
      throw new IllegalStateException("no segment waits");
    }
    head = first.next;
    first.next = null;
    if (head == null) {
      tail = null;
    }
    return first;
  }

  /// Finds out whether the missing segment can still come. Call it after each change.
  void judge(long nowNs) {
    if (head != null && hopelessNs == Long.MAX_VALUE && everyPathIsBehind(nowNs)) {
      hopelessNs = nowNs;
    }
  }

  /// Returns the time until which the missing segment is waited for; Long.MAX_VALUE if none waits
  /// for it.
  long dueNs() {
    HeldSegment first = head;
    if (first == null) {
      return Long.MAX_VALUE;
    }
    long graceEndNs = hopelessNs == Long.MAX_VALUE ? Long.MAX_VALUE : hopelessNs + graceNs;
    return Math.min(first.arrivedNs + Resequencer.HOLD_NS, graceEndNs);
  }

  /// Returns whether each path of the flow has brought what comes behind the missing segment.
  private boolean everyPathIsBehind(long nowNs) {
    for (int path = 0; path < heardNs.length; path++) {
      boolean used = (heard & 1 << path) != 0 && nowNs - heardNs[path] < Resequencer.HOLD_NS;
      if (used && highest[path] - expected <= 0) {
        return false;
      }
    }
    return true;
  }

  /// Gives up what is missing before the first segment that waits.
  void giveUp() {
    HeldSegment first = head;
    if (first != null && first.sequence() - expected > 0) {
      gapFrom = expected;
      gapTo = first.sequence();
      gapDatagram = lastDatagram;
      expected = gapTo;
      hopelessNs = Long.MAX_VALUE;
    }
  }

  /// Forgets the next sequence: the segment that comes next begins anew.
  void restart() {
    begun = false;
    heard = 0;
    hopelessNs = Long.MAX_VALUE;
  }
}
