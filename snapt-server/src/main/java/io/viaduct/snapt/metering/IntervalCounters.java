package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowCounters;

/// What one of the tunnel's cumulative counters has counted in the open interval.
final class IntervalCounters {
  private final FlowCounters counters;
  private long packets;
  private long preBytes;
  private long postBytes;

  /// The first interval begins with the counter's own beginning.
  IntervalCounters(FlowCounters counters) {
    this.counters = counters;
  }

  long packets() {
    return counters.packets() - packets;
  }

  long preBytes() {
    return counters.preBytes() - preBytes;
  }

  long postBytes() {
    return counters.postBytes() - postBytes;
  }

  boolean carried() {
    return packets() != 0 || postBytes() != 0;
  }

  /// The next interval begins here.
  void roll() {
    packets = counters.packets();
    preBytes = counters.preBytes();
    postBytes = counters.postBytes();
  }
}
