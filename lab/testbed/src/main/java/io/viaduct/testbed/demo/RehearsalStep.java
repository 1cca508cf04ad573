package io.viaduct.testbed.demo;

import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.EnglishText;
import io.viaduct.testbed.traffic.Exchanges;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.traffic.TcpStream;
import io.viaduct.testbed.traffic.Way;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// Sends further traffic for services that learn from the run: requests of every size, streams at
/// full speed, and small packets in batches. Contents are text and random bytes. A compiler that
/// has seen only downloads optimises for downloads and must compile again for other traffic.
final class RehearsalStep {
  private static final double EACH_SECONDS = 1;
  private static final int PACKETS_PER_SECOND = 50_000;
  private static final int PACKET_BYTES = 100;
  private static final long EXCHANGES_MAX_SECONDS = 30;

  private final Topology topology;
  private final LongSupplier nanoTime;

  RehearsalStep(Topology topology, LongSupplier nanoTime) {
    this.topology = topology;
    this.nanoTime = nanoTime;
  }

  void run(Narration narration) {
    DeviceLinks.unlimited(topology);
    long exchanges = 0;
    for (int size : Exchanges.SIZES) {
      exchanges += exchanges(EnglishText.of(size)) + exchanges(noise(size));
    }
    long streamed = 0;
    for (Way way : Way.values()) {
      streamed +=
          streamed(way, EnglishText.of(Exchanges.LARGEST))
              + streamed(way, noise(Exchanges.LARGEST));
    }
    PacedStream.Result packets = topology.device.call(() -> packets(noise(PACKET_BYTES)));
    narration.hold(
        exchanges > 0 && streamed > 0 && packets.returned() > 0,
        "%d requests answered, %.1f GB streamed, %d of %d packets returned",
        exchanges,
        streamed / 1e9,
        packets.returned(),
        packets.sent());
  }

  private static byte[] noise(int size) {
    var noise = new byte[size];
    new SplittableRandom(size).nextBytes(noise);
    return noise;
  }

  private long exchanges(byte[] content) {
    var to = new InetSocketAddress(Topology.SERVER, FarEnd.EXCHANGE_PORT);
    return topology
        .device
        .start("exchanges", () -> Exchanges.run(to, content, EACH_SECONDS, nanoTime))
        .orTimeout(EXCHANGES_MAX_SECONDS, TimeUnit.SECONDS)
        .join()
        .getTotalCount();
  }

  private long streamed(Way way, byte[] content) {
    return new TcpStream(topology.device, topology.server, nanoTime)
        .run(Topology.SERVER, way, content, EACH_SECONDS)
        .bytes();
  }

  private PacedStream.Result packets(byte[] payload) throws IOException {
    var to = new InetSocketAddress(Topology.SERVER, FarEnd.STREAM_PORT);
    long endNs = nanoTime.getAsLong() + (long) (EACH_SECONDS * 1e9);
    BooleanSupplier going = () -> nanoTime.getAsLong() - endNs < 0;
    return PacedStream.run(to, payload, PACKETS_PER_SECOND, going, nanoTime);
  }
}
