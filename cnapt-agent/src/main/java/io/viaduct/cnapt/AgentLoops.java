package io.viaduct.cnapt;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/// The two event loops of an agent: `data` owns data path and network watch, `control` owns the
/// control connections.
final class AgentLoops implements AutoCloseable {
  private static final long STOP_MS_MAX = 2_000;

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          2, new DefaultThreadFactory("cnapt", true), EpollIoHandler.newFactory());
  private final IoEventLoop data = group.next();
  private final EventLoop control = group.next();

  IoEventLoop data() {
    return data;
  }

  EventLoop control() {
    return control;
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(STOP_MS_MAX);
  }
}
