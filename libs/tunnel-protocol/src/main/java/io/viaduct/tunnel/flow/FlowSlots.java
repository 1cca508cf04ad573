package io.viaduct.tunnel.flow;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Finds flows by five-tuple (device side, remote side, protocol). Uses open addressing with linear
/// probing over an array that grows and is at most half full. A look-up allocates nothing.
final class FlowSlots {
  private static final int SLOTS_MIN = 16;
  private static final int STEPS_MIN = 64;

  private @Nullable FlowState[] slots = new FlowState[SLOTS_MIN];
  private int size;
  private int sweep;

  int size() {
    return size;
  }

  /// Returns the flow of a packet, or null.
  ///
  /// @param fromDevice the packet's direction
  @Nullable FlowState find(FlowKey packet, boolean fromDevice) {
    int mask = slots.length - 1;
    int slot = home(packet, fromDevice) & mask;
    for (FlowState flow = slots[slot]; flow != null; flow = slots[slot]) {
      if (matches(flow, packet, fromDevice)) {
        return flow;
      }
      slot = (slot + 1) & mask;
    }
    return null;
  }

  /// Adds a flow whose five-tuple is not in the table yet.
  void add(FlowState flow) {
    if ((size + 1) * 2 > slots.length) {
      grow();
    }
    insert(flow);
    size++;
  }

  /// Returns the flow in the next slot, or null if the slot is empty. Starts again after the last
  /// slot.
  @Nullable FlowState next() {
    sweep = (sweep + 1) & (slots.length - 1);
    return slots[sweep];
  }

  /// Returns the number of [#next] calls that cover an eighth of the slots, at least 64.
  int eighth() {
    return Math.max(STEPS_MIN, slots.length / 8);
  }

  /// Visits all flows. The visitor must neither add nor remove flows.
  void forEach(Consumer<FlowState> visitor) {
    for (FlowState flow : slots) {
      if (flow != null) {
        visitor.accept(flow);
      }
    }
  }

  private void insert(FlowState flow) {
    int mask = slots.length - 1;
    int slot = home(flow) & mask;
    while (slots[slot] != null) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = flow;
  }

  void remove(FlowState flow) {
    int mask = slots.length - 1;
    int slot = home(flow) & mask;
    while (slots[slot] != flow) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = null;
    size--;
    for (int next = (slot + 1) & mask; ; next = (next + 1) & mask) {
      FlowState moved = slots[next];
      if (moved == null) {
        return;
      }
      if (((next - home(moved)) & mask) >= ((next - slot) & mask)) {
        slots[slot] = moved;
        slots[next] = null;
        slot = next;
      }
    }
  }

  private void grow() {
    @Nullable FlowState[] old = slots;
    slots = new FlowState[old.length * 2];
    for (FlowState flow : old) {
      if (flow != null) {
        insert(flow);
      }
    }
  }

  static boolean matches(FlowState flow, FlowKey p, boolean fromDevice) {
    return fromDevice
        ? matches(
            flow,
            p,
            p.sourceHigh,
            p.sourceLow,
            p.destinationHigh,
            p.destinationLow,
            p.sourcePort << 16 | p.destinationPort)
        : matches(
            flow,
            p,
            p.destinationHigh,
            p.destinationLow,
            p.sourceHigh,
            p.sourceLow,
            p.destinationPort << 16 | p.sourcePort);
  }

  private static boolean matches(
      FlowState flow,
      FlowKey p,
      long deviceHigh,
      long deviceLow,
      long remoteHigh,
      long remoteLow,
      int ports) {
    return flow.remoteLow() == remoteLow
        && (flow.devicePort() << 16 | flow.remotePort()) == ports
        && flow.protocol() == p.protocol
        && flow.deviceLow() == deviceLow
        && flow.remoteHigh() == remoteHigh
        && flow.deviceHigh() == deviceHigh;
  }

  private static int home(FlowState f) {
    return hash(
        f.deviceHigh(),
        f.deviceLow(),
        f.remoteHigh(),
        f.remoteLow(),
        f.devicePort() << 16 | f.remotePort(),
        f.protocol());
  }

  private static int home(FlowKey p, boolean fromDevice) {
    return fromDevice
        ? hash(
            p.sourceHigh,
            p.sourceLow,
            p.destinationHigh,
            p.destinationLow,
            p.sourcePort << 16 | p.destinationPort,
            p.protocol)
        : hash(
            p.destinationHigh,
            p.destinationLow,
            p.sourceHigh,
            p.sourceLow,
            p.destinationPort << 16 | p.sourcePort,
            p.protocol);
  }

  /// Mixes the bits of a hash: finaliser of SplittableRandom (Steele, Lea, Flood, "Fast Splittable
  /// Pseudorandom Number Generators", 2014).
  private static long mix(long z) {
    long x = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }

  private static int hash(long dh, long dl, long rh, long rl, int ports, int protocol) {
    long h = mix(rl * 31 + rh ^ Long.rotateLeft(dl * 31 + dh, 32));
    return (int) mix(h ^ ((long) ports << 8 | protocol));
  }
}
