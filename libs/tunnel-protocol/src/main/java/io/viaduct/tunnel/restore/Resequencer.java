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

/// Puts the packets of flows in order that the peer sends by several paths: TCP by its own sequence
/// numbers, UDP by the numbers of its packets. A session without such flows has no state here.
///
/// A gap is waited for at most 250 ms from the packet behind it on. A packet with several gaps
/// before it waits at most 500 ms, and at most 1 MiB wait, where each packet counts 128 bytes more
/// than its payload. Then the gap is given up (SEGMENT_MISSING). What comes later nevertheless is
/// delivered at once: nothing is dropped here. At most 16 flows at a time are put in order; further
/// ones are delivered as they come, and counted (SPREAD_REFUSED). The sender keeps to that number.
public final class Resequencer {
  /// Time for which one gap is waited for.
  static final long HOLD_NS = 250_000_000;

  /// Time for which one packet waits. Under jitter a gap follows another, and a packet behind many
  /// of them would wait for each.
  static final long WAIT_NS_MAX = 2 * HOLD_NS;

  static final int BYTES_MAX = 1 << 20;

  /// Number of flows that are put in order at a time.
  public static final int FLOWS_MAX = 16;

  /// Time without an announcement after which a flow is delivered as it comes. The peer announces a
  /// flow twice a second.
  public static final long ANNOUNCED_NS_MAX = 3_000_000_000L;

  /// Delivers a packet that has waited.
  interface Delivery {
    void deliver(FlowState flow, HeldPacket packet);
  }

  private final ByteBufAllocator allocator;
  private final VerdictCounters verdicts;
  private final List<PacketOrder> orders = new ArrayList<>(0);
  private int heldBytes;

  public Resequencer(ByteBufAllocator allocator, VerdictCounters verdicts) {
    this.allocator = allocator;
    this.verdicts = verdicts;
  }

  /// Takes the peer's announcement that a flow travels by several paths.
  void announced(FlowState flow, long nowNs) {
    PacketOrder order = orderOf(flow);
    boolean hasOrder = flow.protocol() == IpFields.TCP || flow.protocol() == IpFields.UDP;
    if (order == null && orders.size() < FLOWS_MAX && hasOrder) {
      order = new PacketOrder(flow);
      orders.add(order);
    }
    if (order == null) {
      verdicts.count(Verdict.SPREAD_REFUSED);
    } else {
      order.announced(nowNs);
    }
  }

  /// Returns the order of a flow, null if it is delivered as it comes.
  @Nullable PacketOrder orderOf(FlowState flow) {
    for (int i = 0; i < orders.size(); i++) {
      if (orders.get(i).flow == flow) {
        return orders.get(i);
      }
    }
    return null;
  }

  /// Takes a TCP segment of a flow with an order.
  ///
  /// @return true if the segment waits here; false if the caller delivers it, and calls [#release]
  ///   afterwards
  boolean holds(
      PacketOrder order,
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
    int from = tcp.sequence();
    int end = from + length + marks;
    boolean isReset = (tcp.flags() & IpFields.RST) != 0;
    if (passes(order, arrival, from, end, isReset)) {
      return false;
    }
    long nowNs = arrival.nowNs();
    hold(
        order,
        new HeldPacket(allocator, sink, context, ecn, tcp, bytes, at, length, from, end, nowNs),
        delivery,
        nowNs);
    return true;
  }

  /// Takes a numbered UDP packet of a flow with an order.
  ///
  /// @return as of [#holds]
  boolean holdsNumbered(
      PacketOrder order,
      Arrival arrival,
      InnerPacketSink sink,
      long context,
      int ecn,
      int number,
      byte[] bytes,
      int at,
      int length,
      Delivery delivery) {
    int from = PacketOrder.ofNumber(number);
    int end = PacketOrder.ofNumber(number + 1);
    if (passes(order, arrival, from, end, false)) {
      return false;
    }
    long nowNs = arrival.nowNs();
    hold(
        order,
        new HeldPacket(allocator, sink, context, ecn, null, bytes, at, length, from, end, nowNs),
        delivery,
        nowNs);
    return true;
  }

  /// Notes an arrival.
  ///
  /// @param urgent true if it waits for nothing
  /// @return true if it is delivered now
  private static boolean passes(
      PacketOrder order, Arrival arrival, int from, int end, boolean urgent) {
    order.arrived(from, end, arrival.path(), arrival.sequence(), arrival.nowNs());
    boolean passes = order.isDue(from) || end == from || urgent;
    if (passes && end != from) { // an acknowledgement may overtake the segments before it
      order.delivered(end);
    }
    return passes;
  }

  /// Adds a packet that waits. If too many bytes wait then, its flow gives up its gaps, the first
  /// one first; all of them if other flows hold the bytes.
  private void hold(PacketOrder order, HeldPacket packet, Delivery delivery, long nowNs) {
    order.hold(packet);
    heldBytes += packet.cost();
    while (heldBytes > BYTES_MAX && order.isHolding()) {
      giveUp(order, delivery, nowNs);
    }
    order.judge(nowNs);
  }

  /// Delivers the packets that need not wait any more.
  void release(PacketOrder order, Delivery delivery, long nowNs) {
    release(order, delivery);
    order.judge(nowNs);
  }

  private void release(PacketOrder order, Delivery delivery) {
    for (HeldPacket first = order.head();
        first != null && order.isDue(first.sequence);
        first = order.head()) {
      HeldPacket packet = order.take();
      order.delivered(packet.endSequence);
      heldBytes -= packet.cost();
      verdicts.count(Verdict.RESEQUENCED);
      delivery.deliver(order.flow, packet);
      packet.release();
    }
  }

  /// Delivers all packets of a flow that wait, and begins anew with the next one.
  void restart(PacketOrder order, Delivery delivery, long nowNs) {
    while (order.isHolding()) {
      giveUp(order, delivery, nowNs);
    }
    order.restart();
  }

  private void giveUp(PacketOrder order, Delivery delivery, long nowNs) {
    if (order.isHolding()) {
      verdicts.count(Verdict.SEGMENT_MISSING);
      order.giveUp(nowNs);
      release(order, delivery);
    }
  }

  /// Returns the time of the next [#tick], Long.MAX_VALUE for never.
  long dueNs() {
    long next = Long.MAX_VALUE;
    for (int i = 0; i < orders.size(); i++) {
      PacketOrder order = orders.get(i);
      next = Math.min(next, order.dueNs());
      next = Math.min(next, order.announcedNs() + ANNOUNCED_NS_MAX);
    }
    return next;
  }

  /// Gives up the gaps that were waited for too long, and forgets flows that take one path again.
  void tick(Delivery delivery, long nowNs) {
    for (int i = orders.size() - 1; i >= 0; i--) {
      PacketOrder order = orders.get(i);
      while (order.dueNs() <= nowNs) {
        giveUp(order, delivery, nowNs);
        order.judge(nowNs);
      }
      boolean old = nowNs - order.announcedNs() >= ANNOUNCED_NS_MAX;
      if (old || order.flow.hasEnded()) {
        restart(order, delivery, nowNs);
        orders.remove(i);
      }
    }
  }

  /// Releases what waits, because the session ends.
  void close() {
    for (PacketOrder order : orders) {
      while (order.isHolding()) {
        order.take().release();
      }
    }
    orders.clear();
  }
}
