package io.viaduct.snapt.relay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The sessions of one event loop, ordered by deadline. This is a binary heap in which each session
/// stores its own index, so that a new deadline allocates nothing. Owned by the loop.
final class DeadlineQueue {
  private @Nullable RelayedSession[] heap = new RelayedSession[64];
  private int size;

  /// Returns the session with the earliest deadline, or null if there is none.
  @Nullable RelayedSession first() {
    return heap[0];
  }

  /// Sets the deadline of a session, and adds the session if it is new.
  void set(RelayedSession session, long deadlineNs) {
    long before = session.deadlineNs;
    session.deadlineNs = deadlineNs;
    if (session.place < 0) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, size * 2);
      }
      put(session, size++);
      up(session);
    } else if (deadlineNs - before < 0) {
      up(session);
    } else {
      down(session);
    }
  }

  /// Removes a session, if it is in the queue.
  void remove(RelayedSession session) {
    int place = session.place;
    if (place < 0) {
      return;
    }
    session.place = -1;
    RelayedSession last = heap[--size];
    heap[size] = null;
    if (last != null && last != session) {
      put(last, place);
      up(last);
      down(last);
    }
  }

  private void up(RelayedSession session) {
    int place = session.place;
    while (place > 0) {
      RelayedSession parent = heap[(place - 1) / 2];
      if (parent == null || !earlier(session, parent)) {
        break;
      }
      int higher = parent.place;
      put(parent, place);
      place = higher;
    }
    put(session, place);
  }

  private void down(RelayedSession session) {
    int place = session.place;
    while (true) {
      RelayedSession child = earlierChild(place);
      if (child == null || !earlier(child, session)) {
        break;
      }
      int lower = child.place;
      put(child, place);
      place = lower;
    }
    put(session, place);
  }

  private @Nullable RelayedSession earlierChild(int place) {
    int left = 2 * place + 1;
    if (left >= size) {
      return null;
    }
    RelayedSession one = heap[left];
    RelayedSession other = left + 1 < size ? heap[left + 1] : null;
    return one != null && other != null && earlier(other, one) ? other : one;
  }

  // Differences, because System.nanoTime may wrap.
  private static boolean earlier(RelayedSession one, RelayedSession other) {
    return one.deadlineNs - other.deadlineNs < 0;
  }

  private void put(RelayedSession session, int place) {
    heap[place] = session;
    session.place = place;
  }
}
