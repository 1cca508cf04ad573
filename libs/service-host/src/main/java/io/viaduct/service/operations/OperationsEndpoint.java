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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Serves operators over HTTP/1.1: `/metrics`, `/livez` and `/readyz` over TCP; the same and
/// `/status` over a Unix socket that only the process's user can open. It has its own thread, so
/// that it answers even while the data plane is busy.
public final class OperationsEndpoint implements AutoCloseable {
  /// Longest request. Operators send only a path.
  static final int REQUEST_BYTES_MAX = 8 * 1024;

  /// A connection without a request for this long is closed.
  static final int IDLE_SECONDS_MAX = 30;

  private static final Logger LOG = LoggerFactory.getLogger(OperationsEndpoint.class);

  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("operations", true), NioIoHandler.newFactory());
  private final ProcessMetrics metrics;
  private final Readiness readiness;
  private @Nullable InetSocketAddress address;
  private @Nullable Path socket;

  /// @param metrics source of `/metrics`
  /// @param readiness source of `/readyz`
  public OperationsEndpoint(ProcessMetrics metrics, Readiness readiness) {
    this.metrics = metrics;
    this.readiness = readiness;
  }

  /// Starts to listen on TCP, without actions.
  ///
  /// @return the address; if the settings have port 0, with the port that the kernel chose
  /// @throws IOException if the kernel refuses the address; the message says which key to change
  public InetSocketAddress listen(OperationsSettings settings) throws IOException {
    return listen(settings, null);
  }

  /// Starts to listen on TCP, also for the actions of an operator.
  ///
  /// @return as [#listen(OperationsSettings)]
  public InetSocketAddress listen(OperationsSettings settings, @Nullable OperatorAccess access)
      throws IOException {
    InetSocketAddress wanted = new InetSocketAddress(settings.host(), settings.port());
    Channel bound =
        Listening.on(
            "operations.host",
            "operations.port",
            "TCP",
            settings.host(),
            settings.port(),
            () ->
                bind(
                    NioServerSocketChannel.class,
                    wanted,
                    null,
                    access == null ? Map.of() : access.actions(),
                    access));
    InetSocketAddress found = (InetSocketAddress) bound.localAddress();
    address = found;
    LOG.info("operations on http://{}:{}", found.getHostString(), found.getPort());
    return found;
  }

  /// Starts to listen on a Unix socket with file mode 600. The socket of a dead process is
  /// replaced; the socket of a live process is not.
  ///
  /// @param file path of the socket
  /// @param status called on a virtual thread for each `/status`; written as JSON
  /// @throws IOException if the socket cannot be created; the message says why
  public void listen(Path file, Supplier<?> status) throws IOException {
    listen(file, status, Map.of());
  }

  /// Calls [#listen(Path, Supplier)], and takes actions too.
  ///
  /// @param actions by path, such as `/drain`
  public void listen(Path file, Supplier<?> status, Map<String, OperationsAction> actions)
      throws IOException {
    UnixDomainSocketAddress wanted = UnixDomainSocketAddress.of(file);
    if (Files.exists(file)) {
      if (answers(wanted)) {
        throw new IOException(file + ": another process listens on it: stop that process first");
      }
      Files.delete(file);
    }
    if (file.toAbsolutePath().getParent() instanceof Path folder) {
      Files.createDirectories(folder);
    }
    bind(NioServerDomainSocketChannel.class, wanted, status, actions, null);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    socket = file;
  }

  /// Returns the TCP address; null before [#listen].
  public @Nullable InetSocketAddress address() {
    return address;
  }

  private Channel bind(
      Class<? extends ServerChannel> type,
      SocketAddress wanted,
      @Nullable Supplier<?> status,
      Map<String, OperationsAction> actions,
      @Nullable OperatorAccess access)
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
                        .addLast(
                            new OperationsHandler(metrics, readiness, status, actions, access));
                  }
                });
    if (type == NioServerSocketChannel.class) {
      server.option(ChannelOption.SO_REUSEADDR, true);
    }
    var bound = server.bind(wanted).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on %s: %s".formatted(wanted, bound.cause().getMessage()), bound.cause());
    }
    return bound.channel();
  }

  private static boolean answers(UnixDomainSocketAddress address) {
    try (SocketChannel _ = SocketChannel.open(address)) {
      return true;
    } catch (IOException _) {
      return false; // no process listens: the socket is stale
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
        LOG.warn("socket {} could not be deleted: {}", file, e.toString());
      }
    }
  }
}
