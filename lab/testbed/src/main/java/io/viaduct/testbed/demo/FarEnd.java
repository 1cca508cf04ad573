package io.viaduct.testbed.demo;

import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.Exchanges;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.traffic.RoundTrips;
import io.viaduct.testbed.traffic.TextServer;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.function.LongSupplier;

/// The servers on the Internet, which know nothing of tunnels. The ports determine the class: 80 is
/// `web`, 22 is `ssh`, the others are the defaults of their protocol.
final class FarEnd {
  static final int TEXT_PORT = 80;
  static final int BULK_PORT = 8000;

  /// Text for one step alone, so that its charges can be told from others.
  static final int MOVED_PORT = 8080;

  static final int SSH_PORT = 22;
  static final int STREAM_PORT = 5004;
  static final int EXCHANGE_PORT = 8001;

  private FarEnd() {}

  static void start(NetworkNamespace server, LongSupplier nanoTime) {
    server.call(() -> {
      TextServer.start(Topology.SERVER, TEXT_PORT, nanoTime);
      TextServer.start(Topology.SERVER, BULK_PORT, nanoTime);
      TextServer.start(Topology.SERVER, MOVED_PORT, nanoTime);
      var exchanges = ServerSocketChannel.open();
      exchanges.bind(new InetSocketAddress(Topology.SERVER, EXCHANGE_PORT));
      Thread.ofPlatform().daemon().name("exchanges").start(() -> Exchanges.serve(exchanges));
      return true;
    });
    var stream =
        server.start(
            "stream",
            () -> {
              PacedStream.echo(Topology.SERVER, STREAM_PORT);
              return true;
            });
    var shell =
        server.start(
            "shell",
            () -> {
              RoundTrips.echo(Topology.SERVER, SSH_PORT);
              return true;
            });
    if (stream.isCompletedExceptionally() || shell.isCompletedExceptionally()) {
      throw new IllegalStateException("the far end did not start");
    }
  }
}
