package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;

/// What this host's socket of a TCP flow has sent last: from it follows the reset that the socket
/// accepts. Owner: the data path's event loop.
final class TcpSide {
  private boolean sent;
  private boolean acknowledges;
  private int nextSequence;
  private int acknowledgement;

  /// Records a segment or a superpacket of the socket.
  ///
  /// @param payload bytes behind its header
  void sent(IpPacket segment, int payload) {
    ByteBuf packet = segment.buffer();
    int tcp = segment.transport();
    int flags = packet.getUnsignedByte(tcp + IpFields.TCP_FLAGS);
    int end =
        packet.getInt(tcp + IpFields.TCP_SEQUENCE)
            + payload
            + ((flags & IpFields.SYN) == 0 ? 0 : 1)
            + ((flags & IpFields.FIN) == 0 ? 0 : 1);
    if ((flags & IpFields.SYN) != 0 || !sent || end - nextSequence > 0) {
      nextSequence = end;
      sent = true;
    }
    if ((flags & IpFields.ACK) != 0) {
      acknowledgement = packet.getInt(tcp + IpFields.TCP_ACKNOWLEDGEMENT);
      acknowledges = true;
    } else {
      acknowledges = false; // the first segment of a new connection
    }
  }

  /// Returns whether the socket has sent anything.
  boolean hasSent() {
    return sent;
  }

  /// Returns whether the socket has heard of the other end.
  boolean acknowledges() {
    return acknowledges;
  }

  /// Returns the sequence number of the socket's next segment; of its SYN while nothing has
  /// answered.
  int sequence() {
    return acknowledges ? nextSequence : nextSequence - 1;
  }

  /// Returns the sequence number that the socket expects.
  int acknowledgement() {
    return acknowledgement;
  }
}
