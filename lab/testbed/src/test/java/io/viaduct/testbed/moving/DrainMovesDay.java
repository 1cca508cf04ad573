package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// The first process of the laboratory of [DrainMovesLabIT]; prints what it sees. A device with one
/// session, and two SNAPTs of a group, which are upgraded one after the other while connections and
/// a stream go through them: the session goes to the second one and back, twice.
public final class DrainMovesDay {
  private static final long SEED = 20_261_126;
  private static final int FLOWS = 50;
  private static final long CARRIES_NS = 1_500_000_000L;
  private static final String MOVED = "viaduct_group_moves_total{outcome=\"moved\"}";

  private final MovingLab lab;
  private final EchoFlows flows;
  private final AtomicBoolean going = new AtomicBoolean(true);
  private final CompletableFuture<PacedStream.Result> stream;

  private DrainMovesDay(MovingLab lab) {
    this.lab = lab;
    flows = EchoFlows.start(lab.network.device, lab.network.server, Topology.SERVER, FLOWS, SEED);
    var to = new InetSocketAddress(Topology.SERVER, MovingLab.STREAM_PORT);
    stream =
        lab.network.device.start(
            "stream",
            () ->
                PacedStream.run(
                    to, new byte[PacedStream.VOICE_BYTES], 50, going::get, System::nanoTime));
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          MovingLab lab = new MovingLab(clone, directory, NetworkPlan.STANDARD, "", "");
          GroupPlan.route(lab.network);
          lab.withGroup();
          lab.start();
          MovingLab.await(() -> lab.at().startsWith("snapt-1"), "the device is at snapt-1");
          new DrainMovesDay(lab).pass();
        });
  }

  private void pass() throws Exception {
    carry(CARRIES_NS);
    MovingLab.say("longest round trip before ms", flows.takeLongestMs());
    move("snapt-1", "snapt-2");
    upgrade("snapt-1");
    move("snapt-2", "snapt-1");
    upgrade("snapt-2");
    move("snapt-1", "snapt-2");
    MovingLab.say("undrain snapt-1", lab.act("snapt-1", "undrain"));
    move("snapt-2", "snapt-1"); // which has carried before: nothing is loaded for the first time
    MovingLab.say("device at", lab.at());
    going.set(false);
    double longestMs = flows.stop();
    PacedStream.Result heard = stream.get(30, TimeUnit.SECONDS);
    MovingLab.say("connections", FLOWS);
    MovingLab.say("broken", flows.broken());
    MovingLab.say("pieces", flows.pieces());
    MovingLab.say("longest round trip ms", longestMs);
    MovingLab.say("stream packets", heard.sent());
    MovingLab.say("stream lost", heard.lost());
    MovingLab.say("stream gap ms", heard.gapNs() / 1e6);
    bill();
  }

  private void move(String snapt, String other) throws Exception {
    MovingLab.say("drain " + snapt, lab.act(snapt, "drain", "--deadline", "1"));
    MovingLab.await(() -> lab.at().startsWith(other), "the device is at " + other);
    MovingLab.await(() -> lab.sessions(snapt) == 0, snapt + " has no session any more");
    MovingLab.say("moved from " + snapt, lab.deployment.metric(snapt, MOVED));
    carry(CARRIES_NS);
    MovingLab.say("longest round trip of the move ms", flows.takeLongestMs());
  }

  private void upgrade(String snapt) throws Exception {
    MovingLab.say("stop of " + snapt, lab.restart(snapt));
    MovingLab.say("longest round trip of the restart ms", flows.takeLongestMs());
  }

  private static void carry(long ns) throws Exception {
    long endNs = System.nanoTime() + ns;
    MovingLab.await(() -> System.nanoTime() - endNs > 0, "time passes");
  }

  // What the device has counted is charged: no byte twice, none lost.
  private void bill() throws Exception {
    carry(CARRIES_NS);
    MovingLab.await(
        () -> lab.chargedBytes() >= 0.999 * lab.carriedBytes(), "99.9 % of the bytes are charged");
    MovingLab.say("carried bytes", lab.carriedBytes());
    MovingLab.say("charged bytes", lab.chargedBytes());
    MovingLab.say("charged percent", 100.0 * lab.chargedBytes() / lab.carriedBytes());
  }
}
