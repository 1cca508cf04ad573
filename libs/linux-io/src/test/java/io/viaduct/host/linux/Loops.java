package io.viaduct.host.linux;

import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Event loops for one test.
public final class Loops implements AutoCloseable {
  private final MultiThreadIoEventLoopGroup group;
  private final List<IoEventLoop> loops;

  public Loops(int count) {
    group = new MultiThreadIoEventLoopGroup(count, EpollIoHandler.newFactory());
    loops = Stream.generate(group::next).limit(count).toList();
  }

  public List<IoEventLoop> all() {
    return loops;
  }

  public IoEventLoop first() {
    return loops.getFirst();
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
  }
}
