package io.viaduct.snapt.control;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.viaduct.tunnel.control.ControlFrame;

/// Ends a connection that sends more bytes than any TLS handshake and Hello need.
final class HandshakeBytes extends ChannelInboundHandlerAdapter {
  // A TLS handshake and one Hello of the largest size.
  private static final int BYTES_MAX = 2 * ControlFrame.BODY_BYTES_MAX;

  private final ControlConnection connection;
  private long bytes;

  HandshakeBytes(ControlConnection connection) {
    this.connection = connection;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (connection.isWelcomed()) {
      context.pipeline().remove(this);
    } else if (message instanceof ByteBuf buffer) {
      bytes += buffer.readableBytes();
      if (bytes > BYTES_MAX) {
        buffer.release();
        connection.end(ConnectionEnd.HANDSHAKE_BYTES);
        return;
      }
    }
    context.fireChannelRead(message);
  }
}
