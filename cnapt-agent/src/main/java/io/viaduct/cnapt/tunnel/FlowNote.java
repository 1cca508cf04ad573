package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.classification.Application;
import org.jspecify.annotations.Nullable;

/// What the agent keeps with a flow besides its counters. Owner: the data path's event loop.
final class FlowNote {
  private static final int TCP_SEQUENCE = 4;
  private static final int TCP_LENGTH = 12;

  Application application;
  @Nullable String process;
  long retransmissions;
  private boolean sequenceKnown;
  private int sequenceEnd;

  FlowNote(Application application) {
    this.application = application;
  }

  /// Sees a TCP packet of the device on its way into the tunnel: what repeats bytes that were sent
  /// before is a retransmission (RFC 9293 section 3.8.1).
  ///
  /// @param transport absolute index of the TCP header
  /// @param length bytes from there to the end of the packet
  void sees(io.netty.buffer.ByteBuf packet, int transport, int length) {
    if (length < TCP_LENGTH + 1) {
      return;
    }
    int payload = length - ((packet.getByte(transport + TCP_LENGTH) >>> 4 & 0xF) << 2);
    if (payload <= 0) {
      return;
    }
    int sequence = packet.getInt(transport + TCP_SEQUENCE);
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
