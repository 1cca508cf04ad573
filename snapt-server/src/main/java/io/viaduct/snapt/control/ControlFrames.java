package io.viaduct.snapt.control;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageCodec;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.v1.ControlMessage;
import java.util.List;

/// Frames of the control connection, docs/protocol.md section 5, in a Netty pipeline: a message
/// becomes a [ControlMessage], a sealed datagram a direct [ByteBuf]. The first bad frame ends the
/// connection: what follows it is not looked at.
final class ControlFrames extends ByteToMessageCodec<ControlMessage> {
  private boolean broken;

  ControlFrames() {
    super(ControlMessage.class);
  }

  @Override
  protected void encode(ChannelHandlerContext context, ControlMessage message, ByteBuf out) {
    ControlFrame.write(message, out);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws MalformedFrameException {
    if (broken) {
      in.skipBytes(in.readableBytes());
      return;
    }
    try {
      ByteBuf datagram = ControlFrame.readDatagram(in, context.alloc());
      if (datagram != null) {
        out.add(datagram);
      } else {
        ControlFrame.read(in).ifPresent(out::add);
      }
    } catch (MalformedFrameException e) {
      broken = true;
      throw e;
    }
  }
}
