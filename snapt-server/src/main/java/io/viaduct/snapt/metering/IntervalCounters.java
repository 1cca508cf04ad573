package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowCounters;

/// The increase of one of the tunnel's cumulative counters in the open interval.
final class IntervalCounters {
  private final FlowCounters counters;
  private long packets;
  private long preBytes;
  private long postBytes;

  /// Starts the first interval, from the counter's start at zero.
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

  boolean hasCarried() {
    return packets() != 0 || postBytes() != 0;
  }

  /// Starts the next interval at the counter's present value.
  void roll() {
    packets = counters.packets();
    preBytes = counters.preBytes();
    postBytes = counters.postBytes();
  }
}
