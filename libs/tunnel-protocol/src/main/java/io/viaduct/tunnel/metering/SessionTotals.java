package io.viaduct.tunnel.metering;

import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.wire.ServiceClass;

/// Counts the traffic of one session since it began, per direction and class. One writer: its event
/// loop.
///
/// The outer bytes of a direction are exactly the sum over its classes plus its overhead. Packets
/// without flow are counted in their class, and also separately.
public final class SessionTotals {
  private final FlowCounters[] sent = new FlowCounters[ServiceClass.COUNT];
  private final FlowCounters[] received = new FlowCounters[ServiceClass.COUNT];
  private final FlowCounters sentFlowless = new FlowCounters();
  private final FlowCounters receivedFlowless = new FlowCounters();
  private long sentDatagrams;
  private long receivedDatagrams;
  private long sentOverheadBytes;
  private long receivedOverheadBytes;

  public SessionTotals() {
    for (int i = 0; i < ServiceClass.COUNT; i++) {
      sent[i] = new FlowCounters();
      received[i] = new FlowCounters();
    }
  }

  /// Returns the counters of one class's packets that were sent into the tunnel.
  public FlowCounters sent(ServiceClass serviceClass) {
    return sent[serviceClass.ordinal()];
  }

  public FlowCounters received(ServiceClass serviceClass) {
    return received[serviceClass.ordinal()];
  }

  /// Returns the counters, over all classes, of packets sent without flow: fragments, and packets
  /// for which the flow table had no room.
  public FlowCounters sentFlowless() {
    return sentFlowless;
  }

  public FlowCounters receivedFlowless() {
    return receivedFlowless;
  }

  /// Returns the inner bytes of all packets, in both directions.
  public long preBytes() {
    long sum = 0;
    for (int i = 0; i < ServiceClass.COUNT; i++) {
      sum += sent[i].preBytes() + received[i].preBytes();
    }
    return sum;
  }

  /// Returns the outer bytes of all datagrams that were received.
  public long receivedOuterBytes() {
    long sum = receivedOverheadBytes;
    for (int i = 0; i < ServiceClass.COUNT; i++) {
      sum += received[i].postBytes();
    }
    return sum;
  }

  /// Counts datagrams that were sent.
  public void sentDatagrams(int datagrams) {
    sentDatagrams += datagrams;
  }

  public void receivedDatagrams(int datagrams) {
    receivedDatagrams += datagrams;
  }

  /// Counts outer bytes that were sent without a packet in them.
  public void sentOverhead(long bytes) {
    sentOverheadBytes += bytes;
  }

  public void receivedOverhead(long bytes) {
    receivedOverheadBytes += bytes;
  }

  public long sentDatagrams() {
    return sentDatagrams;
  }

  public long receivedDatagrams() {
    return receivedDatagrams;
  }

  /// Returns the outer bytes that carried no packet: probes, acknowledgements, statistics, refused
  /// records.
  public long sentOverheadBytes() {
    return sentOverheadBytes;
  }

  public long receivedOverheadBytes() {
    return receivedOverheadBytes;
  }
}
