package io.viaduct.controlbench;

import java.util.List;

/// Many clients of the bridge in one process. [FleetOrders] passes the benchmark's orders to it.
interface Fleet {
  /// Lets the members begin, at the fleet's pace.
  void begin();

  /// Notes that the bridge dies now: no member counts as served until it hears of the next run.
  void mark();

  /// Returns how many members are served: they have heard of the bridge since [#begin] or [#mark].
  long served();

  /// Returns the members' times from their begin, or from the mark, until they were served, in
  /// milliseconds.
  List<Long> times();

  /// Returns `name=value` pairs of what the fleet has met since its start.
  String counts();
}
