package io.viaduct.cnapt.control;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.ControlFrames;
import java.util.List;

/// Reads the frames of one control connection: messages, and sealed datagrams.
public final class FrameDecoder extends ByteToMessageDecoder {
  private final ControlFrames frames = new ControlFrames();

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> messages)
      throws MalformedFrameException {
    frames.read(bytes, context.alloc(), messages);
  }
}
