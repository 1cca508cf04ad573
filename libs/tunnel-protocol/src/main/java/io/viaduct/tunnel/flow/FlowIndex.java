package io.viaduct.tunnel.flow;

import org.jspecify.annotations.Nullable;

/// Maps flow ids to flows: open addressing with linear probing over two arrays, no allocation per
/// look-up.
final class FlowIndex {
  private int[] ids = new int[16];
  private @Nullable FlowState[] flows = new FlowState[16];
  private int size;

  @Nullable FlowState get(int id) {
    int mask = ids.length - 1;
    for (int slot = home(id, mask); flows[slot] != null; slot = (slot + 1) & mask) {
      if (ids[slot] == id) {
        return flows[slot];
      }
    }
    return null;
  }

  void put(int id, FlowState flow) {
    if (size * 2 >= ids.length) {
      grow();
    }
    int mask = ids.length - 1;
    int slot = home(id, mask);
    while (flows[slot] != null && ids[slot] != id) {
      slot = (slot + 1) & mask;
    }
    if (flows[slot] == null) {
      size++;
    }
    ids[slot] = id;
    flows[slot] = flow;
  }

  void remove(int id) {
    int mask = ids.length - 1;
    int slot = home(id, mask);
    while (flows[slot] != null && ids[slot] != id) {
      slot = (slot + 1) & mask;
    }
    if (flows[slot] == null) {
      return;
    }
    size--;
    flows[slot] = null;
    // Knuth's algorithm R: close the gap, so that no probe sequence is cut.
    for (int next = (slot + 1) & mask; flows[next] != null; next = (next + 1) & mask) {
      int want = home(ids[next], mask);
      if (((next - want) & mask) >= ((next - slot) & mask)) {
        ids[slot] = ids[next];
        flows[slot] = flows[next];
        flows[next] = null;
        slot = next;
      }
    }
  }

  private void grow() {
    int[] oldIds = ids;
    @Nullable FlowState[] oldFlows = flows;
    ids = new int[oldIds.length * 2];
    flows = new FlowState[oldIds.length * 2];
    size = 0;
    for (int i = 0; i < oldIds.length; i++) {
      FlowState flow = oldFlows[i];
      if (flow != null) {
        put(oldIds[i], flow);
      }
    }
  }

  private static int home(int id, int mask) {
    int h = id * 0x9E3779B9;
    return (h ^ h >>> 15) & mask;
  }
}
