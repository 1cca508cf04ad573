package io.viaduct.testbed.moving;

import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.traffic.TextServer;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/// The server on the Internet, which sends text and returns streams, and the streams to it.
final class FarHost {
  private static final int FIRST = 80; // its own host number in the core; others follow

  private final Topology network;
  private int further;

  FarHost(Topology network) {
    this.network = network;
  }

  void start() {
    network.server.call(() -> {
      TextServer.start(Topology.SERVER, MovingLab.TEXT_PORT, System::nanoTime);
      return true;
    });
    startEcho(Topology.SERVER);
  }

  private void startEcho(String address) {
    var unused =
        network.server.start(
            "stream",
            () -> {
              PacedStream.echo(address, MovingLab.STREAM_PORT);
              return true;
            });
  }

  /// Gives the server a further address, to which the device has had no flow, and returns it.
  String further() {
    further++;
    String address = Topology.CORE_NETWORK + (FIRST + further);
    network.server.ip("addr add %s/24 dev core0".formatted(address));
    startEcho(address);
    return address;
  }

  /// Begins a UDP stream of the class HT_LD from the device to an address of the server, which
  /// returns it.
  ///
  /// @param bytes of payload, random, so that nothing is compressed
  CompletableFuture<PacedStream.Result> stream(
      String address, int bytes, int packetsPerSecond, BooleanSupplier going) {
    byte[] payload = new byte[bytes];
    new Random(bytes).nextBytes(payload);
    var to = new InetSocketAddress(address, MovingLab.STREAM_PORT);
    return network.device.start(
        "stream", () -> PacedStream.run(to, payload, packetsPerSecond, going, System::nanoTime));
  }
}
