package io.viaduct.testbed.bench;

import java.util.function.LongConsumer;

/// Counts the arrivals of a flow in each second of a period. Owned by the flow's receiver until the
/// flow has ended.
final class FlowSeconds implements LongConsumer {
  private final TrafficClass of;
  private final long beginNs;
  private final int[] packets;

  /// @param seconds whole seconds that are counted
  FlowSeconds(TrafficClass of, long beginNs, int seconds) {
    this.of = of;
    this.beginNs = beginNs;
    this.packets = new int[seconds];
  }

  @Override
  public void accept(long nowNs) {
    long second = (nowNs - beginNs) / 1_000_000_000;
    if (second >= 0 && second < packets.length) {
      packets[(int) second]++;
    }
  }

  TrafficClass of() {
    return of;
  }

  int seconds() {
    return packets.length;
  }

  /// Returns the rate of IP packets in a second, in bytes per second.
  double rate(int second) {
    return (double) packets[second] * of.packetBytes;
  }
}
