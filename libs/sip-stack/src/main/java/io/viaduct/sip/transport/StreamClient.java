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
import io.viaduct.sip.ServerAddresses;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.guard.MessageGuard;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.guard.Verdict;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
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
  private final Server server;
  private final ServerAddresses<InetSocketAddress> addresses;
  private final Bootstrap bootstrap;
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final Promise<Channel> ready;
  private final List<String> failures = new ArrayList<>(); // of the event loop
  private volatile @Nullable InetSocketAddress used; // of the last attempt
  private volatile @Nullable Channel channel;

  /// The server.
  ///
  /// @param host address or name
  /// @param tls null for plain TCP
  /// @param identity what the server's certificate must name: its domain (RFC 5922)
  public record Server(String host, int port, @Nullable SslContext tls, String identity) {}

  /// Called on the event loop; must not block.
  public interface Events {
    void onResponse(SipResponse response);

    /// Called once, when the connection has ended or could not be opened.
    void onClosed(String why);
  }

  private StreamClient(
      EventLoopGroup loop,
      Server server,
      ServerAddresses<InetSocketAddress> addresses,
      GuardLimits limits,
      Events events) {
    this.server = server;
    this.addresses = addresses;
    this.events = events;
    EventLoop own = loop.next();
    this.ready = own.newPromise();
    this.bootstrap =
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
    own.execute(() -> resolve(own)); // a lookup may block the caller
  }

  private void resolve(EventLoop own) {
    DefaultAddressResolverGroup.INSTANCE
        .getResolver(own)
        .resolveAll(InetSocketAddress.createUnresolved(server.host(), server.port()))
        .addListener((Future<List<InetSocketAddress>> found) -> {
          if (found.isSuccess()) {
            connect(found.getNow());
          } else {
            failed(String.valueOf(found.cause().getMessage()));
          }
        });
  }

  /// Tries the addresses of the server's name, each once, until a connection stands.
  private void connect(List<InetSocketAddress> resolved) {
    InetSocketAddress address = addresses.choose(resolved);
    used = address;
    bootstrap
        .connect(address)
        .addListener((ChannelFuture done) -> {
          if (done.isSuccess()) {
            connected(done.channel(), address, resolved);
          } else {
            next(address, done.cause(), resolved);
          }
        });
  }

  private void connected(
      Channel opened, InetSocketAddress address, List<InetSocketAddress> resolved) {
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
              next(address, done.cause(), resolved);
            }
          });
    }
  }

  private void next(InetSocketAddress address, Throwable cause, List<InetSocketAddress> resolved) {
    if (isClosed.get()) {
      return;
    }
    addresses.leave(address);
    failures.add(address.getAddress().getHostAddress() + ": " + cause.getMessage());
    if (failures.size() < resolved.size()) {
      connect(resolved);
    } else {
      failed(String.join(", ", failures));
    }
  }

  private void failed(String why) {
    ready.tryFailure(new ConnectException(why));
    closed(why);
  }

  private static SslHandler handler(Server server, SslContext context, Channel channel) {
    SslHandler handler = context.newHandler(channel.alloc(), server.identity(), server.port());
    var parameters = handler.engine().getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    handler.engine().setSSLParameters(parameters);
    return handler;
  }

  /// Begins to connect. Requests that are sent before wait for the connection.
  ///
  /// @param addresses remembers, from one connection to the next, which address of the server's
  ///   name serves
  public static StreamClient open(
      EventLoopGroup loop,
      Server server,
      ServerAddresses<InetSocketAddress> addresses,
      GuardLimits limits,
      Events events) {
    return new StreamClient(loop, server, addresses, limits, events);
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
              lost("an answer was refused: " + reason); // the framer ends the connection
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

  /// The end of the connection that stood. Of others the attempt knows why they failed.
  private final class End extends ChannelInboundHandlerAdapter {
    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (hasStood(context)) {
        lost("the server has closed the connection");
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (hasStood(context)) {
        lost(String.valueOf(cause.getMessage()));
      }
      context.close();
    }

    private boolean hasStood(ChannelHandlerContext context) {
      return ready.isSuccess() && context.channel() == ready.getNow();
    }
  }

  private void lost(String why) {
    InetSocketAddress address = used;
    if (address != null && !isClosed.get()) {
      addresses.leave(address);
    }
    closed(why);
  }

  private void closed(String why) {
    if (isClosed.compareAndSet(false, true)) {
      events.onClosed(why);
    }
  }

  /// Ends the connection, because the server does not serve: the next one goes to another address.
  public void leave(String why) {
    lost(why);
    end();
  }

  /// Ends the connection. [Events#onClosed] is called if it had not ended before.
  @Override
  public void close() {
    closed("closed");
    end();
  }

  private void end() {
    Channel opened = channel;
    if (opened != null) {
      opened.close();
    }
  }
}
