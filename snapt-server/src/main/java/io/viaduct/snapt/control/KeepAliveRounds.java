package io.viaduct.snapt.control;

import java.util.ArrayDeque;

/// Calls each connection once per keep-alive period. The period is the same for all connections, so
/// a simple queue is ordered by time. No connection needs its own timer, and a tick visits only the
/// connections that are due. Owned by the control thread.
final class KeepAliveRounds {
  private final ArrayDeque<ControlConnection> queue = new ArrayDeque<>();
  private final long periodTicks;
  private long tick;

  KeepAliveRounds(long periodMs, long tickMs) {
    periodTicks = Math.max(1, periodMs / tickMs);
  }

  /// Adds a connection, until it ends.
  void add(ControlConnection connection) {
    connection.dueTick = tick + periodTicks;
    queue.add(connection);
  }

  void onTick() {
    tick++;
    for (ControlConnection first = queue.peek();
        first != null && first.dueTick <= tick;
        first = queue.peek()) {
      queue.remove();
      if (first.keepAlive()) {
        add(first);
      }
    }
  }
}
