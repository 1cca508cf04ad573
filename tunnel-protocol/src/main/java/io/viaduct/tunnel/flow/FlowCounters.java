package io.viaduct.tunnel.flow;

/// What this end has counted of one direction of a flow, cumulative since the flow opened. One
/// writer, the session's event loop.
public final class FlowCounters {
  private long packets;
  private long preBytes;
  private long postBytes;
  private long waitUs;
  private long delaySamples;
  private long delaySumUs;
  private double jitterUs;
  private long lastDelayUs;

  /// Inner packets.
  public long packets() {
    return packets;
  }

  /// Inner IP bytes.
  public long preBytes() {
    return preBytes;
  }

  /// Outer IP bytes: the flow's share of the datagrams that carried it.
  public long postBytes() {
    return postBytes;
  }

  /// Sum of the packets' waits in the aggregator and its queue (sending end only).
  public long waitUs() {
    return waitUs;
  }

  /// Packets that came with a one-way delay (receiving end only).
  public long delaySamples() {
    return delaySamples;
  }

  /// Sum of these delays, corrected by the clock offset.
  public long delaySumUs() {
    return delaySumUs;
  }

  /// Interarrival jitter (RFC 3550 §6.4.1).
  public double jitterUs() {
    return jitterUs;
  }

  public void packet(int bytes) {
    packets++;
    preBytes += bytes;
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
