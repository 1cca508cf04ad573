package io.viaduct.tunnel.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Hello;
import java.util.List;
import java.util.Optional;

/// Bytes of a control connection. Rule: frames until more is needed or a MalformedFrameException; a
/// frame that was read is written and read again as the same message.
public final class ControlFrameFuzz {
  private ControlFrameFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    ByteBuf from = Unpooled.wrappedBuffer(input);
    try {
      Optional<ControlMessage> message = ControlFrame.read(from);
      while (message.isPresent()) {
        ByteBuf again = Unpooled.buffer();
        if (message.get().getSerializedSize() <= ControlFrame.BODY_BYTES_MAX) {
          ControlFrame.write(message.get(), again);
          if (!ControlFrame.read(again).equals(message)) {
            throw new AssertionError("a message is read otherwise than it was written");
          }
        }
        message = ControlFrame.read(from);
      }
    } catch (MalformedFrameException _) {
      return; // the connection closes
    }
  }

  public static List<byte[]> seeds() {
    ByteBuf frames = Unpooled.buffer();
    ControlMessage hello =
        ControlMessage.newBuilder()
            .setHello(Hello.newBuilder().setVersion(1).setSoftware("seed").setPathMtu(1500))
            .build();
    ControlFrame.write(hello, frames);
    ControlFrame.write(hello, frames);
    return List.of(ByteBufUtil.getBytes(frames), new byte[] {0, 0, 0, 2, 1, 1});
  }
}
