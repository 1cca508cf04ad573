package io.viaduct.service.tls;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Provides the sockets of a gRPC server, so that a failed TLS handshake is logged with its peer;
/// gRPC itself reports neither. The server must use [#channel], [#acceptor] and [#workers].
public final class WatchedListener implements AutoCloseable {
  private static final int WORKERS = 2;

  private final FailedHandshakeLog log;
  private final EventLoopGroup acceptor;
  private final EventLoopGroup workers;

  /// @param name prefix of the threads
  public WatchedListener(String name, FailedHandshakeLog log) {
    this.log = log;
    this.acceptor = group(1, name + "-accept");
    this.workers = group(WORKERS, name + "-io");
  }

  private static EventLoopGroup group(int threads, String name) {
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(name, true), NioIoHandler.newFactory());
  }

  /// Returns a new listening socket; the server's channel factory.
  public ServerChannel channel() {
    return new Watched(log);
  }

  /// Returns the event loop that accepts connections.
  public EventLoopGroup acceptor() {
    return acceptor;
  }

  /// Returns the event loops that serve connections.
  public EventLoopGroup workers() {
    return workers;
  }

  /// Ends the threads. The server must be closed before.
  @Override
  public void close() {
    acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    workers.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private static final class Watched extends NioServerSocketChannel {
    private final FailedHandshakeLog log;

    private Watched(FailedHandshakeLog log) {
      this.log = log;
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      int before = accepted.size();
      int count = super.doReadMessages(accepted);
      for (Object each : accepted.subList(before, accepted.size())) {
        ((Channel) each).pipeline().addLast(new HandshakeWatch(log));
      }
      return count;
    }
  }

  /// Watches the handshake from the first bytes on; by then the server has added its TLS handler to
  /// the pipeline.
  private static final class HandshakeWatch extends ChannelInboundHandlerAdapter {
    private final FailedHandshakeLog log;

    private HandshakeWatch(FailedHandshakeLog log) {
      this.log = log;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      var peer = context.channel().remoteAddress();
      SslHandler tls = context.pipeline().get(SslHandler.class);
      if (tls != null) {
        tls.handshakeFuture()
            .addListener(done -> {
              if (!done.isSuccess()) {
                log.failed(peer, done.cause());
              }
            });
      }
      context.fireChannelRead(bytes);
      context.pipeline().remove(this);
    }
  }
}
