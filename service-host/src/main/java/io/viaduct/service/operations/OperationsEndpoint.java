package io.viaduct.service.operations;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// HTTP/1.1 for operators: `/metrics`, `/livez`, `/readyz` over TCP; the same and `/status` over a
/// Unix socket that only the process's user can open. One thread of its own, so that a busy data
/// plane still answers.
public final class OperationsEndpoint implements AutoCloseable {
  /// Longest request: operators send a path, nothing else.
  static final int REQUEST_BYTES_MAX = 8 * 1024;

  /// A connection that says nothing for this long is closed.
  static final int IDLE_SECONDS_MAX = 30;

  private static final Logger LOG = LoggerFactory.getLogger(OperationsEndpoint.class);

  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("operations", true), NioIoHandler.newFactory());
  private final ProcessMetrics metrics;
  private final Readiness readiness;
  private @Nullable InetSocketAddress address;
  private @Nullable Path socket;

  /// @param metrics what `/metrics` shows
  /// @param readiness what `/readyz` shows
  public OperationsEndpoint(ProcessMetrics metrics, Readiness readiness) {
    this.metrics = metrics;
    this.readiness = readiness;
  }

  /// Starts to listen on TCP.
  ///
  /// @return the address, with the port that was found when the settings said 0
  /// @throws IOException if the address cannot be had; the message says which and what to change
  public InetSocketAddress listen(OperationsSettings settings) throws IOException {
    InetSocketAddress wanted = new InetSocketAddress(settings.host(), settings.port());
    Channel bound = bind(NioServerSocketChannel.class, wanted, null);
    InetSocketAddress found = (InetSocketAddress) bound.localAddress();
    address = found;
    LOG.info("operations on http://{}:{}", found.getHostString(), found.getPort());
    return found;
  }

  /// Starts to listen on a Unix socket with file mode 600. A socket that a dead process left behind
  /// is replaced; one that a living process answers on is not.
  ///
  /// @param file where the socket is made
  /// @param status called on a virtual thread for each `/status`; written as JSON
  /// @throws IOException if the socket cannot be made; the message says why
  public void listen(Path file, Supplier<?> status) throws IOException {
    UnixDomainSocketAddress wanted = UnixDomainSocketAddress.of(file);
    if (Files.exists(file)) {
      if (answers(wanted)) {
        throw new IOException(file + ": another process answers on it: stop that one first");
      }
      Files.delete(file);
    }
    if (file.toAbsolutePath().getParent() instanceof Path folder) {
      Files.createDirectories(folder);
    }
    bind(NioServerDomainSocketChannel.class, wanted, status);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    socket = file;
  }

  /// The TCP address, once it listens.
  public @Nullable InetSocketAddress address() {
    return address;
  }

  private Channel bind(
      Class<? extends ServerChannel> type, SocketAddress wanted, @Nullable Supplier<?> status)
      throws IOException {
    ServerBootstrap server =
        new ServerBootstrap()
            .group(loop)
            .channel(type)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(new ReadTimeoutHandler(IDLE_SECONDS_MAX))
                        .addLast(new HttpServerCodec())
                        .addLast(new HttpObjectAggregator(REQUEST_BYTES_MAX))
                        .addLast(new OperationsHandler(metrics, readiness, status));
                  }
                });
    if (type == NioServerSocketChannel.class) {
      server.option(ChannelOption.SO_REUSEADDR, true);
    }
    var bound = server.bind(wanted).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on %s: %s: choose another address: operations.host, operations.port"
              .formatted(wanted, bound.cause().getMessage()),
          bound.cause());
    }
    return bound.channel();
  }

  private static boolean answers(UnixDomainSocketAddress address) {
    try (SocketChannel _ = SocketChannel.open(address)) {
      return true;
    } catch (IOException _) {
      return false; // nobody listens: left behind
    }
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    Path file = socket;
    if (file != null) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        LOG.warn("socket {} stays behind: {}", file, e.toString());
      }
    }
  }
}
