package io.viaduct.tunnel.restore;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.terms.TunnelLimits;
import org.jspecify.annotations.Nullable;

/// Order of the packets of one flow that the peer sends by several paths: the next sequence, the
/// packets that wait for it, and what each path has brought. A sequence is a number of 32 bits that
/// wraps (RFC 1982): TCP's own, or the number of a UDP packet ([#ofNumber]).
///
/// A path keeps the order of its datagrams. So a packet that is missing although each path has
/// brought a later one is lost, and need not be waited for, apart from a grace for jitter. The
/// grace doubles if a packet that was given up does come. It shrinks when a retransmission fills
/// the gap, or nothing does in 250 ms. The numbers of the datagrams tell a late packet from a
/// retransmission. One gap at a time is watched in this way.
final class PacketOrder {
  static final long GRACE_NS_MIN = 10_000_000;

  final FlowState flow;
  private boolean begun;
  private int expected;
  private @Nullable HeldPacket head;
  private @Nullable HeldPacket tail;
  private @Nullable HeldPacket oldest;
  private @Nullable HeldPacket newest;
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
  private long gapNs;

  PacketOrder(FlowState flow) {
    this.flow = flow;
  }

  /// Returns the sequence of a numbered packet: the number takes the upper 24 bits, so that both
  /// wrap together. The next packet has that of the next number.
  static int ofNumber(int number) {
    return number << 8;
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

  /// Returns the first packet that waits, null for none.
  @Nullable HeldPacket head() {
    return head;
  }

  /// Notes a packet of the flow. The sequence of a TCP segment without payload, SYN and FIN is that
  /// of the next byte: it tells what its path has overtaken, and nothing about the order.
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
      // A sequence that a path brought long ago may be more than half of all sequences back.
      boolean first = (heard & 1 << path) == 0 || nowNs - heardNs[path] >= Resequencer.HOLD_NS;
      heard |= 1 << path;
      heardNs[path] = nowNs;
      highest[path] = first || endSequence - highest[path] > 0 ? endSequence : highest[path];
    }
    if (gapDatagram >= 0 && !isEmpty && sequence - gapFrom >= 0 && sequence - gapTo < 0) {
      gapWasFilled(datagram < gapDatagram);
    }
  }

  private void gapWasFilled(boolean late) {
    graceNs =
        late
            ? Math.min(2 * graceNs, Resequencer.HOLD_NS)
            : Math.max(GRACE_NS_MIN, graceNs - graceNs / 4);
    gapDatagram = -1;
  }

  /// Returns whether a packet may be delivered now: nothing before it is missing.
  boolean isDue(int sequence) {
    return !begun || sequence - expected <= 0;
  }

  /// Notes that a packet is delivered.
  void delivered(int endSequence) {
    if (endSequence - expected > 0) {
      expected = endSequence;
      hopelessNs = Long.MAX_VALUE;
    }
  }

  /// Adds a packet that waits, at its place in the order.
  void hold(HeldPacket packet) {
    HeldPacket youngest = newest;
    if (oldest() == null || youngest == null) {
      oldest = packet;
    } else {
      youngest.arrivedNext = packet;
    }
    newest = packet;
    HeldPacket last = tail;
    if (head == null || last == null) {
      head = packet;
      tail = packet;
    } else if (packet.sequence - last.sequence >= 0) {
      last.next = packet;
      tail = packet;
    } else if (packet.sequence - head.sequence < 0) {
      packet.next = head;
      head = packet;
    } else {
      HeldPacket before = head;
      while (before.next != null && packet.sequence - before.next.sequence >= 0) {
        before = before.next;
      }
      packet.next = before.next;
      before.next = packet;
    }
  }

  /// Removes the first packet that waits.
  HeldPacket take() {
    HeldPacket first = head;
    if (first == null) {
      throw new IllegalStateException("no packet waits");
    }
    head = first.next;
    first.next = null;
    first.taken = true;
    if (head == null) {
      tail = null;
    }
    return first;
  }

  /// Returns the packet that has waited longest, null for none. It need not be the first in order.
  private @Nullable HeldPacket oldest() {
    while (oldest != null && oldest.taken) {
      oldest = oldest.arrivedNext;
    }
    return oldest;
  }

  /// Finds out whether the missing packet can still come. Call it after each change.
  void judge(long nowNs) {
    if (head != null && hopelessNs == Long.MAX_VALUE && everyPathIsBehind(nowNs)) {
      hopelessNs = nowNs;
    }
  }

  /// Returns the time until which the missing packet is waited for; Long.MAX_VALUE if none waits
  /// for it.
  long dueNs() {
    HeldPacket first = head;
    HeldPacket longest = oldest();
    if (first == null || longest == null) {
      return Long.MAX_VALUE;
    }
    long graceEndNs = hopelessNs == Long.MAX_VALUE ? Long.MAX_VALUE : hopelessNs + graceNs;
    long heldNs =
        Math.min(
            first.arrivedNs + Resequencer.HOLD_NS, longest.arrivedNs + Resequencer.WAIT_NS_MAX);
    return Math.min(heldNs, graceEndNs);
  }

  /// Returns whether each path of the flow has brought what comes behind the missing packet.
  private boolean everyPathIsBehind(long nowNs) {
    for (int path = 0; path < heardNs.length; path++) {
      boolean used = (heard & 1 << path) != 0 && nowNs - heardNs[path] < Resequencer.HOLD_NS;
      if (used && highest[path] - expected <= 0) {
        return false;
      }
    }
    return true;
  }

  /// Gives up what is missing before the first packet that waits.
  void giveUp(long nowNs) {
    if (gapDatagram >= 0 && nowNs - gapNs >= Resequencer.HOLD_NS) {
      gapWasFilled(false); // it was lost, and UDP repeats nothing
    }
    HeldPacket first = head;
    if (first != null && first.sequence - expected > 0) {
      if (gapDatagram < 0) {
        gapFrom = expected;
        gapTo = first.sequence;
        gapDatagram = lastDatagram;
        gapNs = nowNs;
      }
      expected = first.sequence;
      hopelessNs = Long.MAX_VALUE;
    }
  }

  /// Forgets the next sequence: the packet that comes next begins anew.
  void restart() {
    begun = false;
    heard = 0;
    hopelessNs = Long.MAX_VALUE;
  }
}
