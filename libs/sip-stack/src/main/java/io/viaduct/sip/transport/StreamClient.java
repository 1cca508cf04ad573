package io.viaduct.sip.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.guard.Verdict;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A connection to one SIP server, over TCP or TLS, that this end opens and sends requests on. It
/// has no listener and no transactions: over such a connection a request is sent once, and the
/// caller knows a response by its CSeq. Thread-safe.
public final class StreamClient implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration MESSAGE = Duration.ofSeconds(32);

  private final Events events;
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final Promise<Void> ready;
  private final Channel channel;

  /// The server.
  ///
  /// @param tls null for plain TCP
  /// @param identity what the server's certificate must name: its domain (RFC 5922)
  public record Server(String host, int port, @Nullable SslContext tls, String identity) {}

  /// Called on the event loop; must not block.
  public interface Events {
    void onResponse(SipResponse response);

    /// Called once, when the connection has ended or could not be opened.
    void onClosed(String why);
  }

  private StreamClient(EventLoopGroup loop, Server server, GuardLimits limits, Events events) {
    this.events = events;
    this.ready = loop.next().newPromise();
    ChannelFuture connecting =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) CONNECT.toMillis())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    SslContext tls = server.tls();
                    if (tls != null) {
                      SslHandler handler = handler(server, tls, opened);
                      handler.handshakeFuture().addListener(StreamClient.this::connected);
                      opened.pipeline().addLast(handler);
                    }
                    Transport transport = tls == null ? Transport.TCP : Transport.TLS;
                    opened
                        .pipeline()
                        .addLast(
                            new StreamFramer(
                                transport, new MessageGuard(limits), receiver(), MESSAGE))
                        .addLast(new End());
                  }
                })
            .connect(server.host(), server.port());
    channel = connecting.channel();
    connecting.addListener(done -> {
      if (server.tls() == null || !done.isSuccess()) {
        connected(done);
      }
    });
  }

  private void connected(Future<?> done) {
    if (done.isSuccess()) {
      ready.trySuccess(null);
    } else if (ready.tryFailure(done.cause())) {
      closed(String.valueOf(done.cause().getMessage()));
    }
  }

  private static SslHandler handler(Server server, SslContext context, Channel channel) {
    SslHandler handler = context.newHandler(channel.alloc(), server.identity(), server.port());
    var parameters = handler.engine().getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    handler.engine().setSSLParameters(parameters);
    return handler;
  }

  /// Begins to connect. Requests that are sent before wait for the connection.
  public static StreamClient open(
      EventLoopGroup loop, Server server, GuardLimits limits, Events events) {
    return new StreamClient(loop, server, limits, events);
  }

  /// Sends a request. If the connection cannot be opened or has ended, it is dropped.
  public void send(SipRequest request) {
    byte[] bytes = request.encode();
    ready.addListener(done -> {
      if (done.isSuccess()) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(bytes), channel.voidPromise());
      }
    });
  }

  private Receiver receiver() {
    return new Receiver() {
      @Override
      public void onVerdict(Verdict verdict, SipFlow flow) {
        switch (verdict) {
          case Verdict.Accepted(SipResponse response) -> events.onResponse(response);
          case Verdict.Refused(Refusal reason, _) ->
              closed("an answer was refused: " + reason); // the framer ends the connection
          case Verdict.Accepted _, Verdict.KeepAlive _, Verdict.Stun _ -> {
            // a client answers no requests
          }
        }
      }

      @Override
      public void onRefused(Refusal reason) {
        // an incomplete message at the end of the connection, which End tells
      }
    };
  }

  private final class End extends ChannelInboundHandlerAdapter {
    @Override
    public void channelInactive(ChannelHandlerContext context) {
      closed("the server has closed the connection");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      closed(String.valueOf(cause.getMessage()));
      context.close();
    }
  }

  private void closed(String why) {
    if (isClosed.compareAndSet(false, true)) {
      events.onClosed(why);
    }
  }

  /// Ends the connection. [Events#onClosed] is called if it had not ended before.
  @Override
  public void close() {
    closed("closed");
    channel.close();
  }
}
