package io.viaduct.cnapt.control;

import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The attempts of a control client to reach a SNAPT: looks up its addresses beside the loop, which
/// must not wait, and makes the connection by one of the ways. An attempt that was given up, or
/// that another one has followed, has no effect. Owner: the control loop.
final class Attempts {
  private final EventLoop loop;
  private final ControlTransport transport;
  private final int timeoutMs;
  private final SnaptAddresses addresses = new SnaptAddresses();
  private int number;
  private List<InetAddress> reachable = List.of();
  private @Nullable ControlWay preferred; // of the next attempt

  Attempts(ControlTransport transport, ControlSettings settings) {
    this.loop = transport.loop();
    this.transport = transport;
    this.timeoutMs = (int) settings.connectTimeout().toMillis();
  }

  /// Sets addresses by host name of a SNAPT, used if no resolver answers. Any thread may call this.
  void granted(Map<String, List<InetAddress>> found) {
    addresses.granted(found);
  }

  /// Looks up the addresses of a SNAPT.
  ///
  /// @param found called on the loop when they are known
  /// @param unknown called on the loop if there are none
  void begin(Snapt snapt, Consumer<SslContext> found, Runnable unknown) {
    int own = ++number;
    Thread.ofVirtual()
        .name("resolve")
        .start(() -> {
          try {
            List<InetAddress> resolved = addresses.resolve(snapt);
            SslContext context = transport.tls().get();
            loop.execute(() -> {
              if (own == number) {
                reachable = resolved;
                found.accept(context);
              }
            });
          } catch (UnknownHostException _) {
            loop.execute(() -> {
              if (own == number) {
                unknown.run();
              }
            });
          }
        });
  }

  /// Lets the next attempt take this way if it can be used then.
  void prefer(ControlWay way) {
    preferred = way;
  }

  /// Gives up the attempt.
  void giveUp() {
    number++;
  }

  /// Returns a connection to the addresses that were found last.
  ///
  /// @param failures in a row: each attempt takes the next way
  ControlConnection connection(
      Snapt snapt, SslContext context, int failures, ControlDialog dialog) {
    List<ControlWay> ways = ControlWay.of(transport.links().get(), reachable);
    ControlWay first = preferred;
    preferred = null;
    ControlWay way =
        first != null && ways.contains(first)
            ? first
            : ways.get(Math.floorMod(failures, ways.size()));
    return new ControlConnection(snapt, way, context, transport.mark(), timeoutMs, loop, dialog);
  }

  /// Returns the addresses of the last attempt.
  List<InetAddress> reachable() {
    return reachable;
  }
}
