package io.viaduct.tunnel.session;

import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.wire.ServiceClass;

/// What one session has carried since it began, per direction and class; one writer, its event
/// loop. The outer bytes of a direction are the sum over its classes plus its overhead, exactly;
/// packets that travelled without flow are counted in their class, and on their own once more.
public final class SessionTotals {
  private final FlowCounters[] sent = new FlowCounters[ServiceClass.COUNT];
  private final FlowCounters[] received = new FlowCounters[ServiceClass.COUNT];
  private final FlowCounters sentFlowless = new FlowCounters();
  private final FlowCounters receivedFlowless = new FlowCounters();
  long sentDatagrams;
  long receivedDatagrams;
  long sentOverheadBytes;
  long receivedOverheadBytes;

  SessionTotals() {
    for (int i = 0; i < ServiceClass.COUNT; i++) {
      sent[i] = new FlowCounters();
      received[i] = new FlowCounters();
    }
  }

  /// Packets of one class that were sent into the tunnel, their inner and outer bytes.
  public FlowCounters sent(ServiceClass serviceClass) {
    return sent[serviceClass.ordinal()];
  }

  public FlowCounters received(ServiceClass serviceClass) {
    return received[serviceClass.ordinal()];
  }

  /// Of all classes, what was sent without flow: fragments, what the flow table had no room for.
  public FlowCounters sentFlowless() {
    return sentFlowless;
  }

  public FlowCounters receivedFlowless() {
    return receivedFlowless;
  }

  public long sentDatagrams() {
    return sentDatagrams;
  }

  public long receivedDatagrams() {
    return receivedDatagrams;
  }

  /// Outer bytes that carried no packet: probes, acknowledgements, statistics, records refused.
  public long sentOverheadBytes() {
    return sentOverheadBytes;
  }

  public long receivedOverheadBytes() {
    return receivedOverheadBytes;
  }
}
