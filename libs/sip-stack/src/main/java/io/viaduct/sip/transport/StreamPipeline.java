package io.viaduct.sip.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Refusal;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Handlers of a connection: TLS, idle check, framing, closing.
final class StreamPipeline extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(StreamPipeline.class);

  private final TcpConnections connections;
  private final Kind kind;
  private final Receiver receiver;

  /// The transport of a connection.
  ///
  /// @param tls null without TLS
  /// @param isAccepted true if the peer opened the connection
  record Kind(Transport transport, @Nullable SslContext tls, boolean isAccepted) {}

  private StreamPipeline(TcpConnections connections, Kind kind, Receiver receiver) {
    this.connections = connections;
    this.kind = kind;
    this.receiver = receiver;
  }

  /// Adds the handlers of a connection to its channel.
  static void install(
      Channel channel,
      Kind kind,
      SocketSettings settings,
      MessageGuard guard,
      Receiver receiver,
      TcpConnections connections) {
    ChannelPipeline pipeline = channel.pipeline();
    SslContext tls = kind.tls();
    if (tls != null) {
      SslHandler handler = tls.newHandler(channel.alloc());
      handler.setHandshakeTimeoutMillis(settings.firstMessage().toMillis());
      pipeline.addLast(handler);
    }
    pipeline
        .addLast(new IdleStateHandler(settings.idle().toMillis(), 0, 0, TimeUnit.MILLISECONDS))
        .addLast(new StreamPipeline(connections, kind, receiver));
    if (kind.transport().isWebSocket()) {
      WebSocketFrames.install(pipeline, kind.transport(), settings, guard, receiver);
    } else {
      pipeline.addLast(new StreamFramer(kind.transport(), guard, receiver, settings.message()));
    }
    if (kind.isAccepted()) {
      pipeline.addLast(new FirstMessageDeadline(receiver, settings.firstMessage()));
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (connections.add(context.channel(), kind.transport(), kind.isAccepted())) {
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
    if (event instanceof IdleStateEvent) { // comes again after each further idle time
      InetSocketAddress peer = (InetSocketAddress) context.channel().remoteAddress();
      if (!receiver.needs(new SipFlow(kind.transport(), peer))) {
        context.close();
      }
    } else if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
      receiver.onRefused(Refusal.TLS_HANDSHAKE_FAILED);
      context.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("connection {}: {}", context.channel().remoteAddress(), cause.toString());
    context.close();
  }
}
