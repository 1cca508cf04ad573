package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/// The first process of the laboratory of [FlapLabIT]; prints what it sees. Link A, which the main
/// table prefers, goes down and comes back ten times in ten seconds, while link B stands. Each link
/// has a round trip of 20 ms.
public final class FlapDay {
  private static final int FLAPS = 10;
  private static final long HALF_NS = 500_000_000;
  private static final long SETTLED_NS = 3_000_000_000L; // longer than any delayed renewal
  private static final int PACKETS_PER_SECOND = 1_000;

  private final MovingLab lab;

  private FlapDay(MovingLab lab) {
    this.lab = lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          new FlapDay(new MovingLab(clone, directory, NetworkPlan.CHANGEABLE, "", "")).pass();
        });
  }

  private void pass() throws Exception {
    lab.network.weather("A", "delay=10ms");
    lab.network.weather("B", "delay=10ms");
    lab.start();
    lab.agent.awaitUsed("linkA", "linkB");
    var to = new InetSocketAddress(Topology.SERVER, MovingLab.STREAM_PORT);
    var going = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> stream =
        lab.network.device.start(
            "stream",
            () ->
                PacedStream.run(
                    to,
                    new byte[PacedStream.VOICE_BYTES],
                    PACKETS_PER_SECOND,
                    going::get,
                    System::nanoTime));
    pause(SETTLED_NS);
    long connections = lab.logged("snapt-1", " (opened|resumed)$");
    long registrations = registrations();
    for (int flap = 0; flap < FLAPS; flap++) {
      lab.network.loseLink("A");
      pause(HALF_NS);
      lab.network.restoreLink("A");
      pause(HALF_NS);
    }
    pause(SETTLED_NS);
    going.set(false);
    PacedStream.Result seen = stream.get(20, TimeUnit.SECONDS);
    MovingLab.say("TLS connections", lab.logged("snapt-1", " (opened|resumed)$") - connections);
    MovingLab.say("sessions", lab.logged("snapt-1", " opened$"));
    MovingLab.say("registrations", registrations() - registrations);
    MovingLab.say("sent", seen.sent());
    MovingLab.say("lost", seen.lost());
    MovingLab.say("longest gap ms", seen.gapNs() / 1_000_000);
  }

  private long registrations() throws Exception {
    return lab.deployment.metric(
        "ims-bridge", "viaduct_bridge_sip_events_total{event=\"registered\"}");
  }

  private static void pause(long ns) {
    long endNs = System.nanoTime() + ns;
    while (System.nanoTime() - endNs < 0) {
      LockSupport.parkNanos(10_000_000);
    }
  }
}
