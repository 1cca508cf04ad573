package io.viaduct.snapt.control;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageCodec;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.ControlFrames;
import io.viaduct.tunnel.control.v1.ControlMessage;
import java.util.List;

/// Puts [ControlFrames] into a Netty pipeline.
final class ControlCodec extends ByteToMessageCodec<ControlMessage> {
  private final ControlFrames frames = new ControlFrames();

  ControlCodec() {
    super(ControlMessage.class);
  }

  @Override
  protected void encode(ChannelHandlerContext context, ControlMessage message, ByteBuf out) {
    ControlFrame.write(message, out);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws MalformedFrameException {
    frames.read(in, context.alloc(), out);
  }
}
