package io.viaduct.snapt.control;

import java.util.ArrayDeque;

/// Looks at each connection once per keep-alive period. The period is the same for all, so a queue
/// is in the order of time: no timer per connection, and a tick touches only those that are due.
/// Owned by the control thread.
final class KeepAliveRounds {
  private final ArrayDeque<ControlConnection> queue = new ArrayDeque<>();
  private final long periodTicks;
  private long tick;

  KeepAliveRounds(long periodMs, long tickMs) {
    periodTicks = Math.max(1, periodMs / tickMs);
  }

  /// From now on until it has ended.
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
