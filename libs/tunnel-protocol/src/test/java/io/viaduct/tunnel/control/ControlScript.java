package io.viaduct.tunnel.control;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.v1.ControlMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads the bytes of a control connection that a fuzz target gives to one end.
public final class ControlScript {
  private ControlScript() {}

  /// Returns the numbers of the keep-alives that ask for an answer, up to the first frame that is
  /// invalid or incomplete. Reads the buffer.
  public static List<Long> asked(ByteBuf bytes) {
    List<Long> numbers = new ArrayList<>();
    try {
      while (true) {
        ByteBuf datagram = ControlFrame.readDatagram(bytes, bytes.alloc());
        if (datagram != null) {
          datagram.release();
          continue;
        }
        Optional<ControlMessage> message = ControlFrame.read(bytes);
        if (message.isEmpty()) {
          return numbers;
        }
        if (message.get().hasKeepAlive() && !message.get().getKeepAlive().getReply()) {
          numbers.add(message.get().getKeepAlive().getNumber());
        }
      }
    } catch (MalformedFrameException _) {
      return numbers;
    }
  }
}
