package io.viaduct.tunnel.flow;

/// Counts one direction of a flow at this end, cumulative since the flow opened. One writer: the
/// session's event loop.
public final class FlowCounters {
  private long packets;
  private long preBytes;
  private long postBytes;
  private long waitUs;
  private long delaySamples;
  private long delaySumUs;
  private double jitterUs;
  private long lastDelayUs;

  /// Returns the number of inner packets.
  public long packets() {
    return packets;
  }

  /// Returns the sum of inner IP bytes.
  public long preBytes() {
    return preBytes;
  }

  /// Returns outer IP bytes: the flow's share of the datagrams that carried it.
  public long postBytes() {
    return postBytes;
  }

  /// Returns the sum of the packets' waits in the aggregator and its queue (sending end only).
  public long waitUs() {
    return waitUs;
  }

  /// Returns the number of packets that carried a one-way delay (receiving end only).
  public long delaySamples() {
    return delaySamples;
  }

  /// Returns the sum of these delays in µs, corrected by the clock offset.
  public long delaySumUs() {
    return delaySumUs;
  }

  /// Returns the interarrival jitter (RFC 3550 §6.4.1).
  public double jitterUs() {
    return jitterUs;
  }

  public void packets(int count, long bytes, long waitedUs) {
    packets += count;
    preBytes += bytes;
    waitUs += waitedUs;
  }

  public void outer(long bytes) {
    postBytes += bytes;
  }

  public void delay(long delayUs) {
    if (delaySamples > 0) {
      jitterUs += (Math.abs(delayUs - lastDelayUs) - jitterUs) / 16.0;
    }
    lastDelayUs = delayUs;
    delaySamples++;
    delaySumUs += delayUs;
  }
}
