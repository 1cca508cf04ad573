package io.viaduct.cnapt.control;

import com.fasterxml.jackson.annotation.JsonIgnore;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Measures the round trip to the SNAPTs of the list that are not used, at low cost: by the time of
/// a TCP handshake, one SNAPT every 1.8 s in turn. A handshake and its end are 4 packets, of 212
/// bytes with IPv4 and 292 with IPv6, so all of them together cost 0.94 or 1.30 kbit/s. The name of
/// a SNAPT is looked up every ten minutes, and after a handshake without an answer. The measurement
/// pauses while the device carries nothing. Owner: the control loop; any thread may read the
/// results.
///
/// A handshake is not authenticated. Its time only says with which SNAPT a session is begun; what
/// flows need is then measured by sealed probes.
public final class SnaptWatch {
  static final long STEP_MS = 1_800;

  /// Time without traffic after which nothing is measured.
  static final long IDLE_NS = 30_000_000_000L;

  /// Time for which the addresses of a SNAPT are used.
  static final long RESOLVED_NS = 600_000_000_000L;

  private static final int TIMEOUT_MS = 1_400; // less than a step: one handshake at a time

  private final EventLoop loop;
  private final int mark;
  private final Supplier<List<UsableLink>> links;
  private final LongSupplier carriedBytes;
  private final HandshakeTimes times;
  private final SnaptAddresses addresses;
  private final Map<Snapt, Resolved> resolved = new HashMap<>();
  private volatile List<Watched> watched = List.of(); // written by the control loop
  private Consumer<List<Watched>> listener = _ -> {};
  private long carried;
  private long carriedNs;
  private long handshakes;

  /// A SNAPT that is not used.
  ///
  /// @param at where it is
  /// @param snapt its name and address, for a person
  /// @param roundTripMs smoothed time of a TCP handshake; null before the first
  /// @param unanswered handshakes without an answer since the last one
  /// @param agoMs time since the last handshake that was answered
  public record Watched(
      @JsonIgnore Snapt at,
      String snapt,
      @Nullable Double roundTripMs,
      int unanswered,
      @Nullable Long agoMs) {}

  private record Resolved(List<InetAddress> addresses, long atNs) {}

  /// @param mark SO_MARK of the connections; 0 means none
  /// @param links links that may carry them, the preferred one first
  /// @param carriedBytes a difference means that there is traffic
  /// @param claims SNAPTs that are used
  /// @param lookUp finds the addresses of a SNAPT, seldom
  public SnaptWatch(
      EventLoop loop,
      int mark,
      Supplier<List<UsableLink>> links,
      LongSupplier carriedBytes,
      SnaptClaims claims,
      HostLookUp lookUp) {
    this.loop = loop;
    this.mark = mark;
    this.links = links;
    this.carriedBytes = carriedBytes;
    this.times = new HandshakeTimes(claims);
    this.addresses = new SnaptAddresses(lookUp);
    this.carriedNs = loop.ticker().nanoTime();
  }

  /// Starts to measure. Any thread may call this.
  ///
  /// @param told called on the loop after each handshake, and at each step when none is free
  public void start(Consumer<List<Watched>> told) {
    loop.execute(() -> listener = told);
    var unused =
        loop.scheduleWithFixedDelay(
            () -> step(loop.ticker().nanoTime()), STEP_MS, STEP_MS, TimeUnit.MILLISECONDS);
  }

  /// Sets addresses by host name of a SNAPT, used if no resolver answers. Any thread may call this.
  public void granted(Map<String, List<InetAddress>> found) {
    if (addresses.granted(found)) {
      loop.execute(resolved::clear);
    }
  }

  /// Sets the SNAPTs of the list. Must be called on the loop.
  public void list(List<Snapt> snapts) {
    times.list(snapts);
    resolved.keySet().retainAll(Set.copyOf(snapts));
    publish();
  }

  /// Returns what was measured. Must be used on the loop.
  HandshakeTimes times() {
    return times;
  }

  /// Returns the SNAPTs that are not used, as far as they are known.
  public List<Watched> watched() {
    return watched;
  }

  /// Returns the number of handshakes that were begun.
  long handshakes() {
    return handshakes;
  }

  /// Measures the next SNAPT, if there is traffic.
  void step(long nowNs) {
    long bytes = carriedBytes.getAsLong();
    if (bytes != carried) {
      carried = bytes;
      carriedNs = nowNs;
    }
    if (nowNs - carriedNs >= IDLE_NS) {
      return;
    }
    Snapt next = times.next();
    if (next == null) {
      publish();
      listener.accept(watched); // a line may seek one that has gone
      return;
    }
    Resolved known = resolved.get(next);
    if (known == null || nowNs - known.atNs >= RESOLVED_NS) {
      resolve(next, nowNs);
    } else {
      connect(next, known.addresses);
    }
  }

  private void resolve(Snapt next, long nowNs) {
    Thread.ofVirtual()
        .name("resolve")
        .start(() -> {
          try {
            List<InetAddress> found = addresses.resolve(next);
            loop.execute(() -> {
              resolved.put(next, new Resolved(found, nowNs));
              connect(next, found);
            });
          } catch (UnknownHostException _) {
            loop.execute(() -> answered(next, Double.NaN));
          }
        });
  }

  private void connect(Snapt snapt, List<InetAddress> found) {
    ControlWay way = ControlWay.of(links.get(), found).getFirst();
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(EpollSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, TIMEOUT_MS)
            .option(ChannelOption.SO_LINGER, 0) // a reset: neither end keeps the connection
            .handler(new ChannelInboundHandlerAdapter());
    way.bind(bootstrap, mark);
    handshakes++;
    long beganNs = loop.ticker().nanoTime();
    bootstrap
        .connect(new InetSocketAddress(way.address(), snapt.controlPort()))
        .addListener((ChannelFuture done) -> {
          Channel made = done.channel();
          long ns = loop.ticker().nanoTime() - beganNs;
          answered(snapt, done.isSuccess() ? ns / 1e6 : Double.NaN);
          made.close();
        });
  }

  /// @param ms time of a handshake; NaN without an answer
  private void answered(Snapt snapt, double ms) {
    if (Double.isNaN(ms)) {
      resolved.remove(snapt); // it may have moved
    }
    if (times.answered(snapt, ms, loop.ticker().nanoTime())) {
      publish();
      listener.accept(watched);
    }
  }

  private void publish() {
    watched = times.watched(loop.ticker().nanoTime());
  }
}
