package io.viaduct.sip.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.MessageToMessageEncoder;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.util.ReferenceCountUtil;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.guard.Verdict;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Handlers of a WebSocket connection (RFC 6455, RFC 7118): the upgrade with sub-protocol `sip`,
/// then one message in each frame, both ways. A refused message ends the connection, as on a
/// stream.
final class WebSocketFrames {
  private static final Logger LOG = LoggerFactory.getLogger(WebSocketFrames.class);

  private static final String SUB_PROTOCOL = "sip";
  private static final int HTTP_BODY_MAX = 1024;

  private WebSocketFrames() {}

  static void install(
      ChannelPipeline pipeline,
      Transport transport,
      SocketSettings settings,
      MessageGuard guard,
      Receiver receiver) {
    // One byte more than the limit, so that a longer message is recognised as too long.
    int longest = guard.limits().messageBytes() + 1;
    pipeline
        .addLast(new HttpServerCodec())
        .addLast(new HttpObjectAggregator(HTTP_BODY_MAX))
        .addLast(new Upgrade(receiver))
        .addLast(
            new WebSocketServerProtocolHandler(
                WebSocketServerProtocolConfig.newBuilder()
                    .websocketPath("/")
                    .checkStartsWith(true)
                    .subprotocols(SUB_PROTOCOL)
                    .maxFramePayloadLength(longest)
                    .handshakeTimeoutMillis(settings.firstMessage().toMillis())
                    .build()))
        .addLast(new WebSocketFrameAggregator(longest))
        .addLast(new Writer())
        .addLast(new Reader(transport, guard, receiver));
  }

  /// Refuses what is no upgrade to SIP: a browser's page, a scanner, another sub-protocol.
  private static final class Upgrade extends ChannelInboundHandlerAdapter {
    private final Receiver receiver;
    private boolean isRefused;

    Upgrade(Receiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (!isRefused && (!(message instanceof FullHttpRequest request) || isForSip(request))) {
        context.fireChannelRead(message);
        return;
      }
      ReferenceCountUtil.release(message);
      if (isRefused) {
        return; // it came in one piece with the refused request
      }
      isRefused = true;
      receiver.onRefused(Refusal.NO_SIP_WEB_SOCKET);
      context
          .writeAndFlush(
              new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.BAD_REQUEST))
          .addListener(ChannelFutureListener.CLOSE);
    }

    private static boolean isForSip(FullHttpRequest request) {
      return request.decoderResult().isSuccess()
          && request.method().equals(HttpMethod.GET)
          && request.headers().containsValue(HttpHeaderNames.UPGRADE, "websocket", true)
          && request.headers().getAll(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL).stream()
              .flatMap(line -> Arrays.stream(line.split(",")))
              .anyMatch(offered -> offered.strip().equals(SUB_PROTOCOL));
    }
  }

  /// Writes each message as one frame: as text if it is UTF-8, which browsers prefer.
  private static final class Writer extends MessageToMessageEncoder<ByteBuf> {
    Writer() {
      super(ByteBuf.class);
    }

    @Override
    protected void encode(ChannelHandlerContext context, ByteBuf message, List<Object> out) {
      ByteBuf kept = message.retain();
      out.add(
          ByteBufUtil.isText(kept, io.netty.util.CharsetUtil.UTF_8)
              ? new TextWebSocketFrame(kept)
              : new BinaryWebSocketFrame(kept));
    }
  }

  /// Reads one message from each frame.
  private static final class Reader extends SimpleChannelInboundHandler<WebSocketFrame> {
    private final Transport transport;
    private final MessageGuard guard;
    private final Receiver receiver;
    private boolean isRefused;

    Reader(Transport transport, MessageGuard guard, Receiver receiver) {
      this.transport = transport;
      this.guard = guard;
      this.receiver = receiver;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
      boolean isMessage =
          frame instanceof TextWebSocketFrame || frame instanceof BinaryWebSocketFrame;
      if (!isMessage || isRefused) {
        return;
      }
      Verdict verdict = guard.datagram(ByteBufUtil.getBytes(frame.content()));
      receiver.onVerdict(
          verdict, new SipFlow(transport, (InetSocketAddress) context.channel().remoteAddress()));
      if (verdict instanceof Verdict.Refused) {
        isRefused = true;
        context.close();
      } else if (!(verdict instanceof Verdict.KeepAlive)) {
        context.fireUserEventTriggered(FirstMessageDeadline.Received.WHOLE_MESSAGE);
      }
    }

    /// Ends a connection whose frames break RFC 6455, or form a message above the limit.
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      LOG.debug("WebSocket of {}: {}", context.channel().remoteAddress(), cause.toString());
      if (!isRefused) {
        isRefused = true;
        receiver.onRefused(Refusal.MALFORMED_WEB_SOCKET);
      }
      context.close();
    }
  }
}
