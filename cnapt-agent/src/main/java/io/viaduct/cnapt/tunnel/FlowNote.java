package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import org.jspecify.annotations.Nullable;

/// Holds the agent's data about a flow, apart from its counters. Owner: the data path's event loop.
final class FlowNote {
  Application application;
  @Nullable String process;
  long retransmissions;
  private boolean sequenceKnown;
  private int sequenceEnd;

  FlowNote(Application application) {
    this.application = application;
  }

  /// Checks a TCP packet from the device for a retransmission: a packet with bytes that were sent
  /// before (RFC 9293 section 3.8.1).
  void sees(IpPacket packet) {
    int transport = packet.transport();
    int length = packet.end() - transport;
    if (length < IpFields.TCP_DATA_OFFSET + 1) {
      return;
    }
    int payload = length - packet.transportHeaderBytes();
    if (payload <= 0) {
      return;
    }
    int sequence = packet.buffer().getInt(transport + IpFields.TCP_SEQUENCE);
    int end = sequence + payload;
    if (sequenceKnown && sequence - sequenceEnd < 0) {
      retransmissions++;
    }
    if (!sequenceKnown || end - sequenceEnd > 0) {
      sequenceEnd = end;
      sequenceKnown = true;
    }
  }
}
