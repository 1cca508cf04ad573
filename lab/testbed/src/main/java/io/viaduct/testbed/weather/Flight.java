package io.viaduct.testbed.weather;

/// The frames between line and receiver, ordered by arrival time and then by the order of their
/// departure: a binary heap of primitives.
final class Flight {
  private final long[] dueNs;
  private final long[] order;
  private final int[] slots;
  private long departures;
  private int size;

  Flight(int capacity) {
    dueNs = new long[capacity + 1];
    order = new long[capacity + 1];
    slots = new int[capacity + 1];
  }

  boolean isEmpty() {
    return size == 0;
  }

  long firstDueNs() {
    return dueNs[1];
  }

  void add(long due, int slot) {
    int at = ++size;
    long number = departures++;
    // A parent that is due at the same time departed before.
    while (at > 1 && due - dueNs[at / 2] < 0) {
      move(at / 2, at);
      at /= 2;
    }
    put(at, due, number, slot);
  }

  int removeFirst() {
    int first = slots[1];
    int last = size--;
    int at = 1;
    for (int child = 2; child <= size; child = 2 * at) {
      if (child < size && isBefore(child + 1, child)) {
        child++;
      }
      if (isBefore(last, child)) {
        break;
      }
      move(child, at);
      at = child;
    }
    move(last, at);
    return first;
  }

  private boolean isBefore(int one, int other) {
    long difference = dueNs[one] - dueNs[other];
    return difference < 0 || (difference == 0 && order[one] < order[other]);
  }

  private void move(int from, int to) {
    put(to, dueNs[from], order[from], slots[from]);
  }

  private void put(int at, long due, long number, int slot) {
    dueNs[at] = due;
    order[at] = number;
    slots[at] = slot;
  }
}
