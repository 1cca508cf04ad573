package io.viaduct.sip.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.resolver.DefaultAddressResolverGroup;
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
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
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
  private final Promise<Channel> ready;
  private volatile @Nullable Channel channel;

  /// The server.
  ///
  /// @param host address or name; if one address of a name takes no connection, the next one is
  ///   tried
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
    EventLoop own = loop.next();
    this.ready = own.newPromise();
    Bootstrap bootstrap =
        new Bootstrap()
            .group(own)
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
                      opened.pipeline().addLast(handler(server, tls, opened));
                    }
                    Transport transport = tls == null ? Transport.TCP : Transport.TLS;
                    opened
                        .pipeline()
                        .addLast(
                            new StreamFramer(
                                transport, new MessageGuard(limits), receiver(), MESSAGE))
                        .addLast(new End());
                  }
                });
    own.execute(() -> resolve(own, server, bootstrap)); // a lookup may block the caller
  }

  private void resolve(EventLoop own, Server server, Bootstrap bootstrap) {
    DefaultAddressResolverGroup.INSTANCE
        .getResolver(own)
        .resolveAll(InetSocketAddress.createUnresolved(server.host(), server.port()))
        .addListener((Future<List<InetSocketAddress>> found) -> {
          if (found.isSuccess()) {
            connect(bootstrap, found.getNow().iterator());
          } else {
            failed(found.cause());
          }
        });
  }

  /// Tries the addresses of the server's name in turn (RFC 3263 section 4.3).
  private void connect(Bootstrap bootstrap, Iterator<InetSocketAddress> addresses) {
    bootstrap
        .connect(addresses.next())
        .addListener((ChannelFuture done) -> {
          if (done.isSuccess()) {
            connected(done.channel());
          } else if (addresses.hasNext() && !isClosed.get()) {
            connect(bootstrap, addresses);
          } else {
            failed(done.cause());
          }
        });
  }

  private void connected(Channel opened) {
    channel = opened;
    SslHandler tls = opened.pipeline().get(SslHandler.class);
    if (isClosed.get()) {
      opened.close();
    } else if (tls == null) {
      ready.trySuccess(opened);
    } else {
      tls.handshakeFuture()
          .addListener(done -> {
            if (done.isSuccess()) {
              ready.trySuccess(opened);
            } else {
              failed(done.cause());
            }
          });
    }
  }

  private void failed(Throwable cause) {
    if (ready.tryFailure(cause)) {
      closed(String.valueOf(cause.getMessage()));
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
    ready.addListener((Future<Channel> done) -> {
      if (done.isSuccess()) {
        Channel to = done.getNow();
        to.writeAndFlush(Unpooled.wrappedBuffer(bytes), to.voidPromise());
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
    Channel opened = channel;
    if (opened != null) {
      opened.close();
    }
  }
}
