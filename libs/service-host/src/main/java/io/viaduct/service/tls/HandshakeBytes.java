package io.viaduct.service.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.BooleanSupplier;

/// Ends a connection that sends more bytes than a TLS handshake and the first message need, before
/// it is known who sends them.
public final class HandshakeBytes extends ChannelInboundHandlerAdapter {
  private final long bytesMax;
  private final BooleanSupplier isKnown;
  private final Runnable tooMany;
  private long bytes;

  /// @param bytesMax most bytes until then
  /// @param isKnown tells whether the other end is known; the limit then ends
  /// @param tooMany called for more bytes; closes the connection
  public HandshakeBytes(long bytesMax, BooleanSupplier isKnown, Runnable tooMany) {
    this.bytesMax = bytesMax;
    this.isKnown = isKnown;
    this.tooMany = tooMany;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isKnown.getAsBoolean()) {
      context.pipeline().remove(this);
    } else if (message instanceof ByteBuf buffer) {
      bytes += buffer.readableBytes();
      if (bytes > bytesMax) {
        buffer.release();
        tooMany.run();
        return;
      }
    }
    context.fireChannelRead(message);
  }
}
