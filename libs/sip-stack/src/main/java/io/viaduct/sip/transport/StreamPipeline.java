package io.viaduct.sip.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.viaduct.sip.guard.MessageGuard;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Handlers of a TCP connection: idle check, framing, closing.
final class StreamPipeline extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(StreamPipeline.class);

  private final TcpConnections connections;
  private final boolean isAccepted;

  private StreamPipeline(TcpConnections connections, boolean isAccepted) {
    this.connections = connections;
    this.isAccepted = isAccepted;
  }

  /// Adds the handlers of a connection to its channel.
  ///
  /// @param isAccepted true if the peer opened the connection
  static void install(
      Channel channel,
      boolean isAccepted,
      SocketSettings settings,
      MessageGuard guard,
      Receiver receiver,
      TcpConnections connections) {
    channel
        .pipeline()
        .addLast(new IdleStateHandler(settings.idle().toMillis(), 0, 0, TimeUnit.MILLISECONDS))
        .addLast(new StreamPipeline(connections, isAccepted))
        .addLast(new StreamFramer(guard, receiver, settings.message()));
    if (isAccepted) {
      channel.pipeline().addLast(new FirstMessageDeadline(receiver, settings.firstMessage()));
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (connections.add(context.channel(), isAccepted)) {
      context.fireChannelActive();
    } else {
      context.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    connections.remove(context.channel());
    context.fireChannelInactive();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent) {
      context.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("TCP connection {}: {}", context.channel().remoteAddress(), cause.toString());
    context.close();
  }
}
