package io.viaduct.cnapt.control;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.viaduct.cnapt.links.UsableLink;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Measures the time of a TCP handshake with the control port of a SNAPT: 4 packets of 212 bytes
/// with its end. It is not authenticated, so it only says with which SNAPT a session is begun.
/// Owner: the control loop.
public final class SnaptHandshake {
  private static final int TIMEOUT_MS = 1_400;

  private final EventLoop loop;
  private final int mark;
  private final Supplier<List<UsableLink>> links;

  /// Time for which the addresses of a SNAPT are used.
  static final long RESOLVED_NS = 600_000_000_000L;

  private final SnaptAddresses addresses;
  private final Map<Snapt, Resolved> resolved = new HashMap<>();
  private long begun;

  private record Resolved(List<InetAddress> addresses, long atNs) {}

  /// @param mark SO_MARK of the connections; 0 means none
  /// @param links links that may carry them, the preferred one first
  /// @param lookUp finds the addresses of a SNAPT, seldom
  public SnaptHandshake(
      EventLoop loop, int mark, Supplier<List<UsableLink>> links, HostLookUp lookUp) {
    this.loop = loop;
    this.mark = mark;
    this.links = links;
    this.addresses = new SnaptAddresses(lookUp);
  }

  /// Sets addresses by host name of a SNAPT, used if no resolver answers. Any thread may call this.
  public void granted(Map<String, List<InetAddress>> found) {
    if (addresses.granted(found)) {
      loop.execute(resolved::clear);
    }
  }

  /// Forgets the addresses of all other SNAPTs.
  void forgetAllBut(List<Snapt> listed) {
    resolved.keySet().retainAll(Set.copyOf(listed));
  }

  EventLoop loop() {
    return loop;
  }

  /// The result of one handshake, or of the first one that is answered.
  ///
  /// @param ms its time; NaN if there was no answer in 1.4 s
  /// @param by its way; null without one
  record Answer(double ms, @Nullable ControlWay by) {
    static final Answer NONE = new Answer(Double.NaN, null);
  }

  /// Begins a handshake by the preferred way.
  ///
  /// @param done called on the loop
  void begin(Snapt with, long nowNs, Consumer<Answer> done) {
    begin(with, 1, nowNs, done);
  }

  /// Begins a handshake by each of the preferred ways; the first answer counts.
  ///
  /// @param waysMax number of ways
  /// @param done called once, on the loop
  void begin(Snapt with, int waysMax, long nowNs, Consumer<Answer> done) {
    Resolved known = resolved.get(with);
    if (known != null && nowNs - known.atNs < RESOLVED_NS) {
      connect(with, known.addresses, waysMax, done);
      return;
    }
    Thread.ofVirtual()
        .name("resolve")
        .start(() -> {
          try {
            List<InetAddress> found = addresses.resolve(with);
            loop.execute(() -> {
              resolved.put(with, new Resolved(found, nowNs));
              connect(with, found, waysMax, done);
            });
          } catch (UnknownHostException _) {
            loop.execute(() -> done.accept(Answer.NONE));
          }
        });
  }

  private void connect(Snapt with, List<InetAddress> found, int waysMax, Consumer<Answer> done) {
    List<ControlWay> ways = ControlWay.of(links.get(), found).stream().limit(waysMax).toList();
    FirstAnswer first =
        new FirstAnswer(
            ways.size(),
            answer -> {
              if (answer.by() == null) {
                resolved.remove(with); // it may have moved
              }
              done.accept(answer);
            });
    ways.forEach(each -> connect(with, each, first));
  }

  private static final class FirstAnswer {
    private final Consumer<Answer> done;
    private int awaited;

    FirstAnswer(int awaited, Consumer<Answer> done) {
      this.awaited = awaited;
      this.done = done;
    }

    void take(Answer now) {
      awaited--;
      if (awaited < 0) {
        return; // it was told
      }
      if (awaited == 0 || now.by() != null) {
        awaited = 0;
        done.accept(now);
      }
    }
  }

  private void connect(Snapt snapt, ControlWay way, FirstAnswer first) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(EpollSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, TIMEOUT_MS)
            .option(ChannelOption.SO_LINGER, 0) // a reset: neither end keeps the connection
            .handler(new ChannelInboundHandlerAdapter());
    way.bind(bootstrap, mark);
    begun++;
    long beganNs = loop.ticker().nanoTime();
    bootstrap
        .connect(new InetSocketAddress(way.address(), snapt.controlPort()))
        .addListener((ChannelFuture done) -> {
          Channel made = done.channel();
          long ns = loop.ticker().nanoTime() - beganNs;
          first.take(done.isSuccess() ? new Answer(ns / 1e6, way) : Answer.NONE);
          made.close();
        });
  }

  /// Returns the number of handshakes that were begun.
  long begun() {
    return begun;
  }
}
