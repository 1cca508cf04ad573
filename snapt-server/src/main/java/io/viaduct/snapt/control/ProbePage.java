package io.viaduct.snapt.control;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.viaduct.service.operations.Tally;
import io.viaduct.service.throttle.ConnectionGate;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The page that devices ask by plain HTTP while their tunnel carries nothing: an answer of 204
/// says that no captive portal stands between them and this SNAPT (docs/adr/0031). One request per
/// connection; the answer has no content. Runs on the control thread.
public final class ProbePage {
  /// The path of the page.
  public static final String PATH = "/generate_204";

  private static final int CONNECTIONS_MAX = 1024;
  private static final int PER_ADDRESS_MAX = 64; // devices behind one NAT
  private static final int SECONDS_MAX = 5;
  private static final int LINE_BYTES_MAX = 512;
  private static final int HEADER_BYTES_MAX = 2048;

  /// The outcomes of connections; each value is a counter.
  public enum Outcome {
    /// The page was asked, and answered.
    ANSWERED,
    /// Another page was asked, or by another method.
    NOT_FOUND,
    /// The request was no HTTP, or longer than allowed.
    MALFORMED,
    /// No request arrived in time.
    TIMEOUT,
    /// Too many connections, in all or from one address.
    CONNECTIONS_MAX
  }

  private final EventLoopGroup group;
  private final ConnectionGate gate = new ConnectionGate(CONNECTIONS_MAX, PER_ADDRESS_MAX);
  private final Tally<Outcome> outcomes = new Tally<>(Outcome.class);
  private @Nullable Channel listener;

  /// @param group one event loop of an `EpollIoHandler`
  public ProbePage(EventLoopGroup group) {
    this.group = group;
  }

  /// Starts to accept connections.
  ///
  /// @return the address that it listens on
  /// @throws IOException if it cannot listen on the address
  public InetSocketAddress start(InetSocketAddress address) throws IOException {
    var bound =
        new ServerBootstrap()
            .group(group)
            .channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(bound.cause().getMessage(), bound.cause());
    }
    listener = bound.channel();
    return (InetSocketAddress) bound.channel().localAddress();
  }

  private void accept(Channel channel) {
    InetSocketAddress from = (InetSocketAddress) channel.remoteAddress();
    if (gate.enter(from.getAddress()) != null) {
      outcomes.count(Outcome.CONNECTIONS_MAX);
      channel.close();
      return;
    }
    channel.closeFuture().addListener(_ -> gate.leave(from.getAddress()));
    HttpDecoderConfig limits =
        new HttpDecoderConfig()
            .setMaxInitialLineLength(LINE_BYTES_MAX)
            .setMaxHeaderSize(HEADER_BYTES_MAX);
    Request request = new Request();
    channel.pipeline().addLast(new HttpServerCodec(limits), request);
    // For the whole connection: a peer that sends a byte now and then holds it no longer.
    var deadline =
        channel.eventLoop().schedule(() -> request.late(channel), SECONDS_MAX, TimeUnit.SECONDS);
    channel.closeFuture().addListener(_ -> deadline.cancel(false));
  }

  /// Returns the counts of connections by outcome; any thread may call this.
  public Tally<Outcome> outcomes() {
    return outcomes;
  }

  /// Stops accepting connections.
  public void stop() {
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
  }

  private final class Request extends SimpleChannelInboundHandler<HttpRequest> {
    private boolean done;

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpRequest request) {
      if (done) {
        return;
      }
      if (request.decoderResult().isFailure()) {
        answer(context, Outcome.MALFORMED, HttpResponseStatus.BAD_REQUEST);
      } else if (isThePage(request)) {
        answer(context, Outcome.ANSWERED, HttpResponseStatus.NO_CONTENT);
      } else {
        answer(context, Outcome.NOT_FOUND, HttpResponseStatus.NOT_FOUND);
      }
    }

    private boolean isThePage(HttpRequest request) {
      boolean reads =
          request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
      return reads && request.uri().equals(PATH);
    }

    private void answer(ChannelHandlerContext context, Outcome outcome, HttpResponseStatus status) {
      done = true;
      outcomes.count(outcome);
      FullHttpResponse answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status);
      answer
          .headers()
          .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
          .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      if (!status.equals(HttpResponseStatus.NO_CONTENT)) { // RFC 9110 8.6
        answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
      }
      context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close(); // the peer reset the connection
    }

    void late(Channel channel) {
      if (!done) {
        outcomes.count(Outcome.TIMEOUT);
      }
      channel.close();
    }
  }
}
