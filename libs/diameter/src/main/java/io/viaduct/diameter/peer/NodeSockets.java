package io.viaduct.diameter.peer;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.diameter.message.MessageReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The event loop of a node, its TCP listener and its connections.
final class NodeSockets implements AutoCloseable {
  // Octets that may wait for a peer that reads slowly: some 4000 messages.
  private static final WriteBufferWaterMark WAITING = new WriteBufferWaterMark(1 << 20, 1 << 22);

  private final boolean isEpoll = Epoll.isAvailable();
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1,
          new DefaultThreadFactory("diameter", true),
          isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  private final EventLoop loop = group.next();
  private final MessageReader reader;
  private final ConnectionListener listener;
  private @Nullable Channel server;

  NodeSockets(MessageReader reader, ConnectionListener listener) {
    this.reader = reader;
    this.listener = listener;
  }

  EventLoop loop() {
    return loop;
  }

  /// Opens the listener.
  ///
  /// @throws IOException if the address cannot be bound
  void listen(InetSocketAddress address) throws IOException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(group)
            .channel(isEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING)
            .childHandler(initializer(listener::accepted))
            .bind(address)
            .awaitUninterruptibly();
    if (bound.cause() != null) {
      throw new IOException(
          "cannot bind TCP " + address + ": " + bound.cause().getMessage(), bound.cause());
    }
    server = bound.channel();
  }

  /// Returns the port of the listener, or 0 if there is none.
  int port() {
    return server == null ? 0 : ((InetSocketAddress) server.localAddress()).getPort();
  }

  /// Opens a connection; one of the two is called on the event loop.
  void connect(
      InetSocketAddress address, Duration limit, Consumer<Connection> opened, Runnable failed) {
    new Bootstrap()
        .group(group)
        .channel(isEpoll ? EpollSocketChannel.class : NioSocketChannel.class)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) limit.toMillis())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING)
        .handler(initializer(_ -> {}))
        .connect(address)
        .addListener((ChannelFuture done) -> {
          if (done.isSuccess()) {
            opened.accept(done.channel().pipeline().get(ConnectionHandler.class));
          } else {
            failed.run();
          }
        });
  }

  private ChannelInitializer<Channel> initializer(Consumer<Connection> opened) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        ConnectionHandler handler = new ConnectionHandler(channel, listener);
        channel.pipeline().addLast(new MessageFramer(reader), handler);
        opened.accept(handler);
      }
    };
  }

  /// Closes the listener; connections stay.
  void closeListener() {
    if (server != null) {
      server.close().awaitUninterruptibly();
    }
  }

  @Override
  public void close() {
    closeListener();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
