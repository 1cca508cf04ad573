package io.viaduct.tunnel.flow;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Holds the flows of one session, by five-tuple ([FlowSlots]) and by id. Opens flows, numbers them
/// and ends them. One writer: the session's event loop.
public final class FlowTable {
  /// First id of flows that the device opens: 1 … 1048575.
  public static final int DEVICE_FIRST = 1;

  public static final int SNAPT_FIRST = 1 << 20;
  public static final int ID_LAST = (1 << 21) - 1;

  private static final long LINGER_NS = 2_000_000_000L;

  // The device ends a flow first, and its last FLOW_STATS arrive before its FLOW_END. The SNAPT
  // waits for them: a device scans all of a big table within 8 s, and scans every second. The rest
  // of the 10 s is for a round trip.
  private static final long PEER_FIRST_NS = 10_000_000_000L;

  private final boolean atDevice;
  private final int flowsMax;
  private final FlowTimeouts timeouts;
  private final FlowListener listener;
  private final VerdictCounters verdicts;
  private final FlowIds ids;
  private final IntObjectMap<FlowState> byId = new IntObjectHashMap<>();
  private final FlowSlots slots = new FlowSlots();

  /// Creates an empty table.
  ///
  /// @param atDevice true if looked-up packets leave the device, false if they go towards it
  /// @param verdicts counters, shared with the session
  public FlowTable(
      boolean atDevice,
      int flowsMax,
      FlowTimeouts timeouts,
      FlowListener listener,
      VerdictCounters verdicts) {
    this.atDevice = atDevice;
    this.flowsMax = flowsMax;
    this.timeouts = timeouts;
    this.listener = listener;
    this.verdicts = verdicts;
    this.ids =
        atDevice ? new FlowIds(DEVICE_FIRST, SNAPT_FIRST - 1) : new FlowIds(SNAPT_FIRST, ID_LAST);
  }

  public int size() {
    return slots.size();
  }

  /// Returns the flow of a packet on its way into the tunnel. The listener hears of a new one.
  ///
  /// @return null if no flow can be added, which is counted
  public @Nullable FlowState lookup(FlowKey packet, long nowNs) {
    return findOrOpen(packet, atDevice, nowNs);
  }

  /// Opens a flow that another session has had, before its first packet in this one.
  ///
  /// @return the flow of this identity; null if no flow can be added, which is counted
  public @Nullable FlowState restore(FlowTuple of, long nowNs) {
    return findOrOpen(of.key(), true, nowNs);
  }

  private @Nullable FlowState findOrOpen(FlowKey packet, boolean fromDevice, long nowNs) {
    FlowState flow = find(packet, fromDevice);
    if (flow != null) {
      return flow;
    }
    if (slots.size() >= flowsMax) {
      verdicts.count(Verdict.FLOW_TABLE_FULL);
      return null;
    }
    int id = ids.next(nowNs);
    if (id == 0) {
      verdicts.count(Verdict.FLOW_IDS_EXHAUSTED);
      return null;
    }
    FlowState opened = add(packet, fromDevice, id, nowNs);
    listener.opened(opened);
    return opened;
  }

  /// Returns the flow of a parsed packet, whether the device or the SNAPT opened it.
  ///
  /// @param fromDevice the packet's direction
  public @Nullable FlowState find(FlowKey packet, boolean fromDevice) {
    return slots.find(packet, fromDevice);
  }

  public @Nullable FlowState byId(int id) {
    return byId.get(id);
  }

  /// Returns whether this end allocates ids of this range.
  public boolean isOwn(int id) {
    return atDevice == id < SNAPT_FIRST;
  }

  /// Handles the peer's OPEN: finds or makes the flow that the id now stands for.
  ///
  /// @param newer true if the datagram is the newest so far. Only then may it replace the id's old
  ///   flow.
  /// @return null if the packet must be delivered without a flow
  public @Nullable FlowState opened(int id, FlowKey packet, boolean newer, long nowNs) {
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
      end(held, FlowEnd.REPLACED, nowNs);
    }
    if (sameKey != null && isOwn(sameKey.id())) {
      // Both ends opened the flow at once: one flow has two ids.
      if (sameKey.alias != 0) {
        byId.remove(sameKey.alias);
      }
      sameKey.alias = id;
      byId.put(id, sameKey);
      return sameKey;
    }
    if (sameKey != null) {
      end(sameKey, FlowEnd.REPLACED, nowNs);
    }
    if (slots.size() >= flowsMax) {
      verdicts.count(Verdict.OPEN_WITHOUT_CONTEXT);
      return null;
    }
    FlowState flow = add(packet, fromDevice, id, nowNs);
    listener.opened(flow);
    return flow;
  }

  private FlowState add(FlowKey packet, boolean fromDevice, int id, long nowNs) {
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

  /// Removes a flow and tells the listener.
  public void end(FlowState flow, FlowEnd reason, long nowNs) {
    if (!flow.ended) {
      remove(flow, reason);
      if (isOwn(flow.id())) {
        ids.free(flow.id(), nowNs);
      }
    }
  }

  private void remove(FlowState flow, FlowEnd reason) {
    flow.ended = true;
    listener.ended(flow, reason);
    slots.remove(flow);
    byId.remove(flow.id());
    if (flow.alias != 0) {
      byId.remove(flow.alias);
    }
  }

  /// Ends every flow, because the session is over. No id becomes free again.
  public void endAll(FlowEnd reason) {
    List<FlowState> all = new ArrayList<>(slots.size());
    slots.forEach(all::add); // ending a flow moves others in the array
    all.forEach(flow -> remove(flow, reason));
  }

  /// Evaluates the flags of a TCP packet. RST, or FIN in both directions, ends the connection 2 s
  /// later. The SNAPT waits 10 s longer, unless the device has ended the flow before.
  public void tcpFlags(FlowState flow, boolean fromDevice, int flags, long nowNs) {
    if ((flags & (IpFields.FIN | IpFields.SYN | IpFields.RST)) == 0) {
      return;
    }
    if ((flags & IpFields.RST) != 0) {
      endSoon(flow, FlowEnd.RESET, nowNs);
    } else if ((flags & IpFields.SYN) != 0) {
      flow.finSeen = 0; // a new connection on the same ports
      flow.endAtNs = Long.MAX_VALUE;
      flow.endReason = FlowEnd.IDLE;
    } else {
      flow.finSeen |= fromDevice ? 1 : 2;
      if (flow.finSeen == 3) {
        endSoon(flow, FlowEnd.FINISHED, nowNs);
      }
    }
  }

  private void endSoon(FlowState flow, FlowEnd reason, long nowNs) {
    if (flow.endAtNs == Long.MAX_VALUE) {
      flow.endAtNs = nowNs + LINGER_NS;
      flow.endReason = reason;
    }
  }

  /// Scans an eighth of the slots and ends the flows that are over or idle. The caller repeats the
  /// call; 8 calls scan the whole table.
  ///
  /// @param before called with each flow while it is still in the table
  public void expire(Consumer<FlowState> before, long nowNs) {
    int steps = slots.eighth();
    long graceNs = atDevice ? 0 : PEER_FIRST_NS;
    for (int i = 0; i < steps && slots.size() > 0; i++) {
      FlowState flow = slots.next();
      if (flow == null) {
        continue;
      }
      if (flow.endAtNs != Long.MAX_VALUE && nowNs - flow.endAtNs >= graceNs) {
        before.accept(flow);
        end(flow, flow.endReason, nowNs);
      } else if (nowNs - flow.lastNs() >= timeouts.idleNs(flow.protocol()) + graceNs) {
        before.accept(flow);
        end(flow, FlowEnd.IDLE, nowNs);
      }
    }
  }

  public void forEach(Consumer<FlowState> visitor) {
    slots.forEach(visitor);
  }
}
