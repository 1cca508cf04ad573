package io.viaduct.testbed.moving;

import io.viaduct.testbed.traffic.PacedStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// Traffic that must not break: TCP connections that send all the time and wait for their bytes,
/// and a call, from the device to one address.
final class SteadyLoad {
  static final int CONNECTIONS = 50;
  private static final int PACKETS_PER_SECOND = 50; // of the call: 20 ms of G.711 in each
  private static final long SEED = 20_261_126;
  private static final long CARRIES_NS = 1_500_000_000L;

  private final EchoFlows connections;
  private final AtomicBoolean going = new AtomicBoolean(true);
  private final CompletableFuture<PacedStream.Result> call;
  private double longestMs;

  /// Seen by the applications since the start.
  ///
  /// @param broken connections that were reset, stood still for 20 s, or got other bytes
  /// @param pieces of 512 bytes that came back
  /// @param gapMs longest time in which a connection or the call received nothing
  record Seen(long broken, long pieces, PacedStream.Result call, double gapMs) {
    /// Returns the sum of two loads.
    Seen and(Seen other) {
      return new Seen(
          broken + other.broken,
          pieces + other.pieces,
          new PacedStream.Result(
              call.sent() + other.call.sent(),
              call.returned() + other.call.returned(),
              Math.max(call.gapNs(), other.call.gapNs())),
          Math.max(gapMs, other.gapMs));
    }
  }

  private SteadyLoad(EchoFlows connections, MovingLab lab, String address) {
    this.connections = connections;
    call = lab.server.stream(address, PacedStream.VOICE_BYTES, PACKETS_PER_SECOND, going::get);
  }

  /// Opens the connections, lets them run for a moment, and begins the call.
  ///
  /// @param address of the server
  static SteadyLoad start(MovingLab lab, String address) throws Exception {
    EchoFlows flows =
        EchoFlows.start(lab.network.device, lab.network.server, address, CONNECTIONS, SEED);
    carry();
    MovingLab.say("longest round trip before ms", flows.takeLongestMs());
    return new SteadyLoad(flows, lab, address);
  }

  /// Lets time pass.
  static void carry() throws Exception {
    long endNs = System.nanoTime() + CARRIES_NS;
    MovingLab.await(() -> System.nanoTime() - endNs > 0, "time passes");
  }

  /// Prints the longest round trip of a connection since the last call.
  void tellLongest(String when) {
    double takenMs = connections.takeLongestMs();
    longestMs = Math.max(longestMs, takenMs);
    MovingLab.say("longest round trip " + when + " ms", takenMs);
  }

  /// Ends the load.
  Seen stop() throws Exception {
    going.set(false);
    connections.stop();
    longestMs = Math.max(longestMs, connections.takeLongestMs());
    PacedStream.Result heard = call.get(30, TimeUnit.SECONDS);
    return new Seen(
        connections.broken(),
        connections.pieces(),
        heard,
        Math.max(longestMs, heard.gapNs() / 1e6));
  }
}
