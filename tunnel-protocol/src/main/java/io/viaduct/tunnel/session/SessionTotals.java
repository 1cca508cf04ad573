package io.viaduct.tunnel.session;

import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.wire.ServiceClass;

/// What one session has carried since it began, per direction and class; one writer, its event
/// loop. The outer bytes of a direction are the sum over its classes plus its overhead, exactly.
public final class SessionTotals {
  private final FlowCounters[] sent = new FlowCounters[ServiceClass.COUNT];
  private final FlowCounters[] received = new FlowCounters[ServiceClass.COUNT];
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

  /// Packets, inner and outer bytes of flows of one class that were sent into the tunnel.
  public FlowCounters sent(ServiceClass serviceClass) {
    return sent[serviceClass.ordinal()];
  }

  public FlowCounters received(ServiceClass serviceClass) {
    return received[serviceClass.ordinal()];
  }

  public long sentDatagrams() {
    return sentDatagrams;
  }

  public long receivedDatagrams() {
    return receivedDatagrams;
  }

  /// Outer bytes that belong to no flow: probes, acknowledgements, statistics, packets without
  /// flow.
  public long sentOverheadBytes() {
    return sentOverheadBytes;
  }

  public long receivedOverheadBytes() {
    return receivedOverheadBytes;
  }
}
