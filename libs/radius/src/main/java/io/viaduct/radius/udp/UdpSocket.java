package io.viaduct.radius.udp;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.viaduct.radius.message.RadiusPacket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/// A UDP socket with an event loop of its own.
public final class UdpSocket implements AutoCloseable {
  // Holds some thousand records while the loop is busy; the kernel's default holds some hundred.
  private static final int RECEIVE_BUFFER = 1 << 20;

  private final EventLoopGroup group;
  private final Channel channel;

  private UdpSocket(EventLoopGroup group, Channel channel) {
    this.group = group;
    this.channel = channel;
  }

  /// Opens a socket.
  ///
  /// @param name name of the event loop's thread
  /// @param receiver takes datagrams on the event loop; a datagram that is longer than a packet may
  ///   be arrives one octet too long
  /// @throws IOException if the address cannot be bound
  public static UdpSocket open(String name, InetSocketAddress address, ChannelHandler receiver)
      throws IOException {
    boolean isEpoll = Epoll.isAvailable();
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1,
            new DefaultThreadFactory(name, true),
            isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    ChannelFuture bound =
        new Bootstrap()
            .group(group)
            .channel(isEpoll ? EpollDatagramChannel.class : NioDatagramChannel.class)
            .option(ChannelOption.SO_RCVBUF, RECEIVE_BUFFER)
            .option(
                ChannelOption.RECVBUF_ALLOCATOR,
                new FixedRecvByteBufAllocator(RadiusPacket.MOST + 1))
            .handler(receiver)
            .bind(address)
            .awaitUninterruptibly();
    UdpSocket socket = new UdpSocket(group, bound.channel());
    if (bound.cause() != null) {
      socket.close();
      throw new IOException(
          "cannot bind UDP " + address + ": " + bound.cause().getMessage(), bound.cause());
    }
    return socket;
  }

  /// Returns the octets of a datagram.
  public static byte[] octets(DatagramPacket datagram) {
    return ByteBufUtil.getBytes(datagram.content());
  }

  public int port() {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  /// Sends a datagram. UDP tells nobody what becomes of it.
  public void send(InetSocketAddress to, byte[] octets) {
    channel.writeAndFlush(
        new DatagramPacket(Unpooled.wrappedBuffer(octets), to), channel.voidPromise());
  }

  /// Runs a task on the event loop.
  ///
  /// @param closed runs in its place if the socket is closed
  public void onLoop(Runnable task, Runnable closed) {
    try {
      channel.eventLoop().execute(task);
    } catch (RejectedExecutionException _) {
      closed.run();
    }
  }

  /// Runs a task on the event loop later; called on the event loop.
  public Future<?> after(long delay, TimeUnit unit, Runnable task) {
    return channel.eventLoop().schedule(task, delay, unit);
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
  }
}
