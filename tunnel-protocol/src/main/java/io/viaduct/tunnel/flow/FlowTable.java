package io.viaduct.tunnel.flow;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The flows of one session by five-tuple ([FlowSlots]) and by id: who opens one, what it is
/// called, when it ends. One writer, the session's event loop; time comes in through [#at].
public final class FlowTable {
  /// Flows of the device: 1 … 1048575.
  public static final int DEVICE_FIRST = 1;

  public static final int SNAPT_FIRST = 1 << 20;
  public static final int ID_LAST = (1 << 21) - 1;

  private static final long LINGER_NS = 2_000_000_000L;

  // The device ends a flow first, and its last FLOW_STATS come before its FLOW_END: the SNAPT waits
  // for them. A device looks at the whole of a big table within 8 s, and every second; the rest is
  // a round trip.
  private static final long PEER_FIRST_NS = 10_000_000_000L;

  private final boolean atDevice;
  private final int flowsMax;
  private final FlowTimeouts timeouts;
  private final FlowListener listener;
  private final long[] verdicts;
  private final FlowIds ids;
  private final FlowIndex byId = new FlowIndex();
  private final FlowKey key = new FlowKey();
  private final FlowSlots slots = new FlowSlots();
  private long nowNs;

  /// @param atDevice whether packets that are looked up leave the device (else they go towards it)
  /// @param verdicts counters by [Verdict] ordinal, shared with the session
  public FlowTable(
      boolean atDevice,
      int flowsMax,
      FlowTimeouts timeouts,
      FlowListener listener,
      long[] verdicts) {
    this.atDevice = atDevice;
    this.flowsMax = flowsMax;
    this.timeouts = timeouts;
    this.listener = listener;
    this.verdicts = verdicts;
    this.ids =
        atDevice ? new FlowIds(DEVICE_FIRST, SNAPT_FIRST - 1) : new FlowIds(SNAPT_FIRST, ID_LAST);
  }

  /// Time passes.
  public void at(long now) {
    nowNs = now;
  }

  public int size() {
    return slots.size();
  }

  /// The flow of a packet on its way into the tunnel; a new one is unclassified.
  ///
  /// @return null, counted, if the bytes are no IP packet or no flow can be added: offer it without
  ///   flow
  public @Nullable FlowState lookup(ByteBuf packet, int ipOffset, int length) {
    if (!key.parse(packet, ipOffset, length)) {
      return null; // offer() counts it
    }
    FlowState flow = find(key, atDevice);
    if (flow != null) {
      return flow;
    }
    if (slots.size() >= flowsMax) {
      verdicts[Verdict.FLOW_TABLE_FULL.ordinal()]++;
      return null;
    }
    int id = ids.next(nowNs);
    if (id == 0) {
      verdicts[Verdict.FLOW_IDS_EXHAUSTED.ordinal()]++;
      return null;
    }
    return add(key, atDevice, id);
  }

  /// The flow of a parsed packet, whichever end opened it.
  ///
  /// @param fromDevice the packet's direction
  public @Nullable FlowState find(FlowKey packet, boolean fromDevice) {
    return slots.find(packet, fromDevice);
  }

  public @Nullable FlowState byId(int id) {
    return byId.get(id);
  }

  /// Whether this end gives out ids of this range.
  public boolean isOwn(int id) {
    return atDevice == id < SNAPT_FIRST;
  }

  /// The peer's OPEN: finds or makes the flow that the id now stands for.
  ///
  /// @param newer whether the datagram is the newest so far, so that it may replace what the id
  ///   meant
  /// @return null if the packet must be delivered without flow
  public @Nullable FlowState opened(int id, FlowKey packet, boolean newer) {
    boolean fromDevice = !atDevice;
    FlowState held = byId.get(id);
    if (held != null && FlowSlots.matches(held, packet, fromDevice)) {
      return held;
    }
    FlowState sameKey = find(packet, fromDevice);
    boolean replaces = held != null || sameKey != null;
    if (isOwn(id) || replaces && !newer) {
      return sameKey;
    }
    if (held != null) {
      end(held, FlowEnd.REPLACED);
    }
    if (sameKey != null && isOwn(sameKey.id())) {
      // Both ends opened it at once: one flow, two names.
      if (sameKey.alias != 0) {
        byId.remove(sameKey.alias);
      }
      sameKey.alias = id;
      byId.put(id, sameKey);
      return sameKey;
    }
    if (sameKey != null) {
      end(sameKey, FlowEnd.REPLACED);
    }
    if (slots.size() >= flowsMax) {
      verdicts[Verdict.OPEN_WITHOUT_CONTEXT.ordinal()]++;
      return null;
    }
    FlowState flow = add(packet, fromDevice, id);
    listener.opened(flow);
    return flow;
  }

  private FlowState add(FlowKey packet, boolean fromDevice, int id) {
    int sourcePort = packet.sourcePort;
    int destinationPort = packet.destinationPort;
    FlowState flow =
        fromDevice
            ? new FlowState(
                id,
                packet.sourceHigh,
                packet.sourceLow,
                packet.destinationHigh,
                packet.destinationLow,
                sourcePort << 16 | destinationPort,
                packet.protocol,
                nowNs)
            : new FlowState(
                id,
                packet.destinationHigh,
                packet.destinationLow,
                packet.sourceHigh,
                packet.sourceLow,
                destinationPort << 16 | sourcePort,
                packet.protocol,
                nowNs);
    slots.add(flow);
    byId.put(id, flow);
    return flow;
  }

  /// Takes a flow out and tells the listener.
  public void end(FlowState flow, FlowEnd reason) {
    if (flow.ended) {
      return;
    }
    flow.ended = true;
    listener.ended(flow, reason);
    slots.remove(flow);
    byId.remove(flow.id());
    if (flow.alias != 0) {
      byId.remove(flow.alias);
    }
    if (isOwn(flow.id())) {
      ids.free(flow.id(), nowNs);
    }
  }

  public void endAll(FlowEnd reason) {
    List<FlowState> all = new ArrayList<>(slots.size());
    slots.forEach(all::add); // to end one moves others
    all.forEach(flow -> end(flow, reason));
  }

  /// Sees the flags of a TCP packet: FIN in both directions or RST end the connection 2 s later, at
  /// the SNAPT 10 s later still if the device has not said it before.
  public void tcpFlags(FlowState flow, boolean fromDevice, int flags) {
    if ((flags & 0x07) == 0) {
      return;
    }
    if ((flags & 0x04) != 0) {
      endSoon(flow, FlowEnd.RESET);
    } else if ((flags & 0x02) != 0) {
      flow.finSeen = 0; // a new connection on the same ports
      flow.endAtNs = Long.MAX_VALUE;
      flow.endReason = FlowEnd.IDLE;
    } else {
      flow.finSeen |= fromDevice ? 1 : 2;
      if (flow.finSeen == 3) {
        endSoon(flow, FlowEnd.FINISHED);
      }
    }
  }

  private void endSoon(FlowState flow, FlowEnd reason) {
    if (flow.endAtNs == Long.MAX_VALUE) {
      flow.endAtNs = nowNs + LINGER_NS;
      flow.endReason = reason;
    }
  }

  /// Looks at some of the slots and ends what is over; the caller repeats it. A full round takes 8
  /// calls.
  ///
  /// @param before called with each flow while it is still in the table
  public void expire(Consumer<FlowState> before) {
    int steps = slots.eighth();
    long graceNs = atDevice ? 0 : PEER_FIRST_NS;
    for (int i = 0; i < steps && slots.size() > 0; i++) {
      FlowState flow = slots.next();
      if (flow == null) {
        continue;
      }
      if (flow.endAtNs != Long.MAX_VALUE && nowNs - flow.endAtNs >= graceNs) {
        before.accept(flow);
        end(flow, flow.endReason);
      } else if (nowNs - flow.lastNs() >= timeouts.idleNs(flow.protocol()) + graceNs) {
        before.accept(flow);
        end(flow, FlowEnd.IDLE);
      }
    }
  }

  public void forEach(Consumer<FlowState> visitor) {
    slots.forEach(visitor);
  }
}
