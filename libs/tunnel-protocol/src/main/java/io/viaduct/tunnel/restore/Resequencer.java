package io.viaduct.tunnel.restore;

import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.compound.TcpFields;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Puts the segments of TCP flows in order that the peer sends by several paths, by TCP's own
/// sequence numbers. A session without such flows has no state here.
///
/// A segment waits at most 250 ms for an earlier one, and at most 1 MiB wait; then the gap is given
/// up (SEGMENT_MISSING), and TCP asks for it again. At most 16 flows at a time are put in order;
/// further ones are delivered as they come, and counted (SPREAD_REFUSED). The sender keeps to that
/// number.
public final class Resequencer {
  static final long HOLD_NS = 250_000_000;
  static final int BYTES_MAX = 1 << 20;

  /// Number of flows that are put in order at a time.
  public static final int FLOWS_MAX = 16;

  /// Time without an announcement after which a flow is delivered as it comes. The peer announces a
  /// flow twice a second.
  public static final long ANNOUNCED_NS_MAX = 3_000_000_000L;

  /// Delivers a segment that has waited.
  interface Delivery {
    void deliver(FlowState flow, HeldSegment segment);
  }

  private final ByteBufAllocator allocator;
  private final VerdictCounters verdicts;
  private final List<SegmentOrder> orders = new ArrayList<>(0);
  private int heldBytes;

  public Resequencer(ByteBufAllocator allocator, VerdictCounters verdicts) {
    this.allocator = allocator;
    this.verdicts = verdicts;
  }

  /// Takes the peer's announcement that a flow travels by several paths.
  void announced(FlowState flow, long nowNs) {
    SegmentOrder order = orderOf(flow);
    if (order == null && orders.size() < FLOWS_MAX && flow.protocol() == IpFields.TCP) {
      order = new SegmentOrder(flow);
      orders.add(order);
    }
    if (order == null) {
      verdicts.count(Verdict.SPREAD_REFUSED);
    } else {
      order.announced(nowNs);
    }
  }

  /// Returns the order of a flow, null if it is delivered as it comes.
  @Nullable SegmentOrder orderOf(FlowState flow) {
    for (int i = 0; i < orders.size(); i++) {
      if (orders.get(i).flow == flow) {
        return orders.get(i);
      }
    }
    return null;
  }

  /// Takes a segment of a flow with an order.
  ///
  /// @return true if the segment waits here; false if the caller delivers it, and calls [#release]
  ///   afterwards
  boolean holds(
      SegmentOrder order,
      Arrival arrival,
      InnerPacketSink sink,
      long context,
      int ecn,
      TcpFields tcp,
      byte[] bytes,
      int at,
      int length,
      Delivery delivery) {
    int marks = (tcp.flags() & (IpFields.SYN | IpFields.FIN)) == 0 ? 0 : 1;
    int end = tcp.sequence() + length + marks;
    long nowNs = arrival.nowNs();
    order.arrived(tcp.sequence(), end, arrival.path(), arrival.sequence(), nowNs);
    if (heldBytes + length > BYTES_MAX) {
      giveUp(order, delivery);
    }
    boolean delivered =
        order.isDue(tcp.sequence())
            || end == tcp.sequence()
            || (tcp.flags() & IpFields.RST) != 0
            || heldBytes + length > BYTES_MAX; // other flows hold the bytes
    if (delivered) {
      if (end != tcp.sequence()) { // an acknowledgement may overtake the segments before it
        order.delivered(end);
      }
      return false;
    }
    order.hold(new HeldSegment(allocator, sink, context, ecn, tcp, bytes, at, length, end, nowNs));
    heldBytes += length;
    order.judge(nowNs);
    return true;
  }

  /// Delivers the segments that need not wait any more.
  void release(SegmentOrder order, Delivery delivery, long nowNs) {
    release(order, delivery);
    order.judge(nowNs);
  }

  private void release(SegmentOrder order, Delivery delivery) {
    for (HeldSegment first = order.head();
        first != null && order.isDue(first.sequence());
        first = order.head()) {
      HeldSegment segment = order.take();
      order.delivered(segment.endSequence);
      heldBytes -= segment.length;
      verdicts.count(Verdict.RESEQUENCED);
      delivery.deliver(order.flow, segment);
      segment.release();
    }
  }

  /// Delivers all segments of a flow that wait, and begins anew with the next one.
  void restart(SegmentOrder order, Delivery delivery) {
    while (order.isHolding()) {
      giveUp(order, delivery);
    }
    order.restart();
  }

  private void giveUp(SegmentOrder order, Delivery delivery) {
    if (order.isHolding()) {
      verdicts.count(Verdict.SEGMENT_MISSING);
      order.giveUp();
      release(order, delivery);
    }
  }

  /// Returns the time of the next [#tick], Long.MAX_VALUE for never.
  long dueNs() {
    long next = Long.MAX_VALUE;
    for (int i = 0; i < orders.size(); i++) {
      SegmentOrder order = orders.get(i);
      next = Math.min(next, order.dueNs());
      next = Math.min(next, order.announcedNs() + ANNOUNCED_NS_MAX);
    }
    return next;
  }

  /// Gives up the gaps that were waited for too long, and forgets flows that take one path again.
  void tick(Delivery delivery, long nowNs) {
    for (int i = orders.size() - 1; i >= 0; i--) {
      SegmentOrder order = orders.get(i);
      if (order.dueNs() <= nowNs) {
        giveUp(order, delivery);
        order.judge(nowNs);
      }
      boolean old = nowNs - order.announcedNs() >= ANNOUNCED_NS_MAX;
      if (old || order.flow.hasEnded()) {
        restart(order, delivery);
        orders.remove(i);
      }
    }
  }

  /// Releases what waits, because the session ends.
  void close() {
    for (SegmentOrder order : orders) {
      while (order.isHolding()) {
        order.take().release();
      }
    }
    orders.clear();
  }
}
