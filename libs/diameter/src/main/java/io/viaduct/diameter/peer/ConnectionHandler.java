package io.viaduct.diameter.peer;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection: passes its messages to the node.
final class ConnectionHandler extends SimpleChannelInboundHandler<byte[]> implements Connection {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionHandler.class);

  private final Channel channel;
  private final ConnectionListener listener;

  ConnectionHandler(Channel channel, ConnectionListener listener) {
    this.channel = channel;
    this.listener = listener;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, byte[] octets) {
    listener.received(this, octets);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    listener.disconnected(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("connection {}: {}", channel.remoteAddress(), cause.toString());
    context.close();
  }

  @Override
  public void send(byte[] octets) {
    if (channel.isWritable()) {
      channel.writeAndFlush(Unpooled.wrappedBuffer(octets), channel.voidPromise());
    } else {
      channel.close(); // it does not read: no answer may wait in memory without a limit
    }
  }

  @Override
  public boolean isWritable() {
    return channel.isActive() && channel.isWritable();
  }

  @Override
  public void close() {
    // After the octets that wait to be written.
    channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public InetAddress remote() {
    return ((InetSocketAddress) channel.remoteAddress()).getAddress();
  }

  @Override
  public String toString() {
    return String.valueOf(channel.remoteAddress());
  }
}
