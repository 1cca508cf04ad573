package io.viaduct.tunnel.control;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.v1.ControlMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Bytes of a control connection as a fuzz target gives them to one end.
public final class ControlScript {
  private ControlScript() {}

  /// The numbers of the keep-alives that want an answer, up to the first frame that is none or not
  /// whole. Reads the buffer.
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
