package io.viaduct.sip.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.MessageGuard;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Owns one UDP socket and one TCP listener on the same port, further listeners for TLS and
/// WebSocket, and the connections in both directions. All run on one event loop.
public final class SipSockets implements AutoCloseable {
  /// SOL_SOCKET and SO_MARK of asm-generic/socket.h.
  private static final IntegerUnixChannelOption SO_MARK =
      new IntegerUnixChannelOption("SO_MARK", 1, 36);

  // Holds a burst of 1000 messages of 1 KiB while the loop is busy; the kernel's default holds some
  // 200.
  private static final int UDP_RECEIVE_BUFFER_BYTES = 1 << 20;
  private static final int PORT_ATTEMPTS = 16;

  /// Most unsent bytes of a connection: some of the longest messages. A peer that leaves more does
  /// not read.
  private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(65_536, 262_144);

  private static final String CLOSED = "the sockets are closed";

  private final SocketSettings settings;
  private final MessageGuard guard;
  private final MessageGuard streamGuard;
  private final Receiver receiver;
  private final boolean isEpoll = Epoll.isAvailable();
  private final EventLoopGroup loop;
  private final TcpConnections connections;
  private volatile boolean isClosed;
  private Channel udp;
  private final Map<Transport, Channel> streams = new EnumMap<>(Transport.class);

  private SipSockets(SocketSettings settings, MessageGuard guard, Receiver receiver)
      throws IOException {
    if (settings.fwmark() != 0 && !isEpoll) {
      throw new IOException("fwmark needs Netty's epoll transport: " + Epoll.unavailabilityCause());
    }
    this.settings = settings;
    this.guard = guard;
    this.streamGuard = new MessageGuard(guard.limits().onStreams());
    this.receiver = receiver;
    this.connections =
        new TcpConnections(settings.connections(), settings.connectionsPerSource(), receiver);
    this.loop =
        new MultiThreadIoEventLoopGroup(
            1,
            new DefaultThreadFactory("sip", true),
            isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    try {
      this.udp = bindUdp(settings.bind());
      streams.put(Transport.TCP, bindTcpBeside());
      for (SocketSettings.StreamListener each : settings.listeners()) {
        streams.put(
            each.transport(),
            await(
                server(each.transport(), each.tls()).bind(each.bind()),
                "bind " + each.transport() + " " + each.bind()));
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /// Opens the sockets. From then on messages go to the receiver.
  ///
  /// @throws IOException if the port is taken or the mark is not permitted
  public static SipSockets open(SocketSettings settings, MessageGuard guard, Receiver receiver)
      throws IOException {
    return new SipSockets(settings, guard, receiver);
  }

  /// Returns the port of both sockets.
  public int port() {
    return ((InetSocketAddress) udp.localAddress()).getPort();
  }

  /// Returns the port of a transport.
  ///
  /// @throws IllegalArgumentException if there is no listener for it
  public int port(Transport transport) {
    Channel listener = transport == Transport.UDP ? udp : streams.get(transport);
    if (listener == null) {
      throw new IllegalArgumentException("no listener for " + transport);
    }
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /// Returns the transports over connections that have a listener.
  public Set<Transport> streams() {
    return Set.copyOf(streams.keySet());
  }

  /// Sends bytes. On a stream they go on the existing connection with the peer.
  ///
  /// @throws IOException if there is no such connection, the peer does not read, or the sockets are
  ///   closed
  public void write(SipFlow flow, byte[] bytes) throws IOException {
    switch (flow.transport()) {
      case UDP -> execute(() -> writeDatagram(flow.remote(), bytes));
      case TCP, TLS, WS, WSS -> {
        Channel channel = connections.writable(flow);
        execute(() -> channel.writeAndFlush(Unpooled.wrappedBuffer(bytes), channel.voidPromise()));
      }
    }
  }

  private void writeDatagram(InetSocketAddress to, byte[] bytes) {
    Channel socket = udp;
    socket.writeAndFlush(
        new DatagramPacket(Unpooled.wrappedBuffer(bytes), to), socket.voidPromise());
  }

  /// Runs work on the event loop. Netty would log a write that meets the end of the loop.
  ///
  /// @throws IOException if the sockets are closed
  private void execute(Runnable work) throws IOException {
    EventLoop own = loop.next();
    try {
      if (own.inEventLoop()) {
        work.run();
      } else {
        own.execute(work);
      }
    } catch (RejectedExecutionException e) {
      throw new IOException(CLOSED, e);
    }
  }

  /// Opens a connection for a flow if there is none. Blocks until it is open, so it must not be
  /// called on the event loop.
  ///
  /// @throws IOException if it cannot be opened: over TLS and WebSocket only the peer opens one
  public void connect(SipFlow flow) throws IOException {
    if (isConnected(flow)) {
      return;
    }
    if (flow.transport() != Transport.TCP) {
      throw new IOException("no connection " + flow + ", and the peer must open it");
    }
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(isEpoll ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) settings.connectTimeout().toMillis())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
            .handler(pipeline(false, Transport.TCP, null));
    if (settings.fwmark() != 0) {
      bootstrap.option(SO_MARK, settings.fwmark());
    }
    Promise<Channel> opened = loop.next().newPromise();
    execute(() -> {
      if (isClosed) {
        opened.setFailure(new IOException(CLOSED));
      } else {
        bootstrap.connect(flow.remote()).addListener((ChannelFuture done) -> open(done, opened));
      }
    });
    await(opened, "connect to " + flow);
  }

  // The loop completes the future first and then registers the connection.
  private static void open(ChannelFuture done, Promise<Channel> opened) {
    if (done.isSuccess()) {
      done.channel().eventLoop().execute(() -> opened.setSuccess(done.channel()));
    } else {
      opened.setFailure(done.cause());
    }
  }

  /// Returns true if the connection of a flow is open. Always true for UDP, which has no
  /// connection.
  public boolean isConnected(SipFlow flow) {
    return !flow.transport().isReliable() || connections.has(flow);
  }

  /// Returns the common name of the certificate that the peer of a connection has shown.
  public Optional<String> peerName(SipFlow flow) {
    return flow.transport().isSecure() ? connections.peerName(flow) : Optional.empty();
  }

  /// Closes the connection of a flow, if there is one, because its network has gone.
  public void disconnect(SipFlow flow) {
    if (flow.transport().isReliable()) {
      connections.close(flow);
    }
  }

  /// Returns the open connections of all transports.
  public int connections() {
    return connections.size();
  }

  private Channel bindUdp(InetSocketAddress address) throws IOException {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(isEpoll ? EpollDatagramChannel.class : NioDatagramChannel.class)
            .option(ChannelOption.SO_RCVBUF, UDP_RECEIVE_BUFFER_BYTES)
            // One byte more than the limit, so that a longer datagram is recognised as too long.
            .option(
                ChannelOption.RECVBUF_ALLOCATOR,
                new FixedRecvByteBufAllocator(guard.limits().messageBytes() + 1))
            .handler(new DatagramReader(guard, receiver));
    if (settings.fwmark() != 0) {
      bootstrap.option(SO_MARK, settings.fwmark());
    }
    return await(bootstrap.bind(address), "bind UDP " + address);
  }

  /// Binds TCP to the port of UDP. With port 0 that port may be in use for TCP; then both sockets
  /// take another port.
  private Channel bindTcpBeside() throws IOException {
    for (int attempt = 1; ; attempt++) {
      InetSocketAddress address = new InetSocketAddress(settings.bind().getAddress(), port());
      try {
        return await(server(Transport.TCP, null).bind(address), "bind TCP " + address);
      } catch (IOException e) {
        if (settings.bind().getPort() != 0 || attempt == PORT_ATTEMPTS) {
          throw e;
        }
        udp.close().awaitUninterruptibly();
        udp = bindUdp(settings.bind());
      }
    }
  }

  private ServerBootstrap server(Transport transport, @Nullable SslContext tls) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loop)
            .channel(isEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
            .childHandler(pipeline(true, transport, tls));
    if (settings.fwmark() != 0) {
      bootstrap.option(SO_MARK, settings.fwmark()).childOption(SO_MARK, settings.fwmark());
    }
    return bootstrap;
  }

  private ChannelInitializer<Channel> pipeline(
      boolean isAccepted, Transport transport, @Nullable SslContext tls) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        StreamPipeline.install(
            channel,
            new StreamPipeline.Kind(transport, tls, isAccepted),
            settings,
            streamGuard,
            receiver,
            connections);
      }
    };
  }

  private static Channel await(ChannelFuture future, String what) throws IOException {
    await((Future<?>) future, what);
    return future.channel();
  }

  private static void await(Future<?> future, String what) throws IOException {
    future.awaitUninterruptibly();
    Throwable cause = future.cause();
    if (cause != null) {
      throw new IOException("cannot " + what + ": " + cause.getMessage(), cause);
    }
  }

  /// Closes the sockets. Later writes fail with an [IOException], whose callers count it.
  @Override
  public void close() {
    isClosed = true;
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
