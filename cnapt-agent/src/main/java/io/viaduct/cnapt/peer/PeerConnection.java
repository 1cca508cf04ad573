package io.viaduct.cnapt.peer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.viaduct.service.logging.PeerText;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.Refusal;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Welcome;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// One control connection from the other end, at the peer that listens (docs/protocol.md section
/// 5). Before its Hello has proved the key, it changes nothing. Owner: the control event loop.
final class PeerConnection extends SimpleChannelInboundHandler<ControlMessage>
    implements ControlLine.Connection {
  private final PeerServer server;
  private final Channel channel;
  private @Nullable ScheduledFuture<?> helloDue;
  private byte @Nullable [] exporter;
  private boolean welcomed;
  private boolean ended;

  PeerConnection(PeerServer server, Channel channel) {
    this.server = server;
    this.channel = channel;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    helloDue =
        channel
            .eventLoop()
            .schedule(
                () -> end(PeerRefusal.HANDSHAKE_TIMEOUT),
                server.handshakeMs(),
                TimeUnit.MILLISECONDS);
  }

  /// Returns true after a valid Hello.
  boolean isWelcomed() {
    return welcomed;
  }

  /// Returns the address of the other end.
  InetSocketAddress from() {
    return (InetSocketAddress) channel.remoteAddress();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        secured(context.pipeline().get(SslHandler.class));
      } else {
        server.failedHandshakes().failed(channel.remoteAddress(), handshake.cause());
        end(PeerRefusal.TLS_FAILED);
      }
    }
    context.fireUserEventTriggered(event);
  }

  private void secured(SslHandler tls) {
    try {
      exporter =
          ((ExtendedSSLSession) tls.engine().getSession())
              .exportKeyingMaterialData(
                  DeviceProof.EXPORTER_LABEL, null, DeviceProof.EXPORTER_BYTES);
    } catch (SSLException e) {
      throw new IllegalStateException("a finished TLS 1.3 handshake must export", e);
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ControlMessage message) {
    byte[] exported = exporter;
    if (ended || exported == null) {
      return;
    }
    if (!welcomed) {
      if (message.hasHello()) {
        server.hello(this, message.getHello(), exported);
      } else {
        end(PeerRefusal.UNEXPECTED_MESSAGE);
      }
      return;
    }
    switch (message.getMessageCase()) {
      case KEEP_ALIVE -> keepAlive(message.getKeepAlive());
      case GOODBYE ->
          close("the peer says goodbye: " + PeerText.printable(message.getGoodbye().getReason()));
      case HELLO,
          WELCOME,
          REFUSAL,
          INTERVAL_BOUNDARY,
          TOKEN_UPDATE,
          TOKEN_ACCEPTED,
          RECEIPT_ANSWER,
          CREDIT_NOTICE,
          RELAYS,
          MOVED,
          MESSAGE_NOT_SET ->
          end(PeerRefusal.UNEXPECTED_MESSAGE);
    }
  }

  private void keepAlive(KeepAlive received) {
    if (!received.getReply()) {
      send(
          ControlMessage.newBuilder()
              .setKeepAlive(KeepAlive.newBuilder().setNumber(received.getNumber()).setReply(true))
              .build());
    }
  }

  /// Accepts the other end.
  void welcome(Welcome welcome) {
    welcomed = true;
    stopWaiting();
    send(ControlMessage.newBuilder().setWelcome(welcome).build());
  }

  /// Sends a Refusal and closes.
  void refuse(PeerRefusal why, RefusalCode code, String detail) {
    if (!ended) {
      channel
          .writeAndFlush(
              frame(
                  ControlMessage.newBuilder()
                      .setRefusal(Refusal.newBuilder().setCode(code).setDetail(detail))
                      .build()))
          .addListener(ChannelFutureListener.CLOSE);
      finish(why, detail);
    }
  }

  /// Takes sealed datagrams. Only the other end itself may send them.
  void datagrams(List<ByteBuf> datagrams, Runnable taken) {
    if (welcomed && !ended) {
      server.datagrams(this, datagrams, taken);
      return;
    }
    datagrams.forEach(ByteBuf::release);
    taken.run();
    end(PeerRefusal.UNEXPECTED_MESSAGE);
  }

  @Override
  public void write(ByteBuf frames, Runnable taken) {
    channel.writeAndFlush(frames).addListener(_ -> taken.run());
  }

  private void send(ControlMessage message) {
    channel.writeAndFlush(frame(message)).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }

  private ByteBuf frame(ControlMessage message) {
    ByteBuf frame = channel.alloc().buffer();
    ControlFrame.write(message, frame);
    return frame;
  }

  /// Says goodbye and closes.
  void leave(String reason) {
    if (!ended) {
      ended = true;
      stopWaiting();
      channel
          .writeAndFlush(
              frame(
                  ControlMessage.newBuilder()
                      .setGoodbye(Goodbye.newBuilder().setReason(reason))
                      .build()))
          .addListener(ChannelFutureListener.CLOSE);
    }
  }

  /// Closes a connection for a reason that is a counter.
  void end(PeerRefusal why) {
    if (!ended) {
      finish(why, why.label());
      channel.close();
    }
  }

  private void close(String why) {
    if (!ended) {
      finish(null, why);
      channel.close();
    }
  }

  private void finish(@Nullable PeerRefusal why, String words) {
    ended = true;
    stopWaiting();
    if (why != null) {
      server.count(why);
    }
    server.closed(this, words);
  }

  private void stopWaiting() {
    ScheduledFuture<?> armed = helloDue;
    if (armed != null) {
      armed.cancel(false);
      helloDue = null;
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (!ended) {
      finish(welcomed ? null : PeerRefusal.CLOSED_BY_PEER, "closed by the peer");
    }
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (welcomed && PeerRefusal.of(cause) == PeerRefusal.CLOSED_BY_PEER) {
      close("lost: " + cause.getMessage());
    } else {
      end(PeerRefusal.of(cause));
    }
  }
}
