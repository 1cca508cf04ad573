package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.traffic.PacedStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The first process of the laboratory of [SnaptDiesLabIT]; prints what it sees. A connection with
/// traffic. Its SNAPT is killed and comes back, and then it stays away. The device has a session
/// with each of two SNAPTs, or one session by default.
public final class SnaptDiesDay {
  /// Variable of the environment: `1` for a device with one session.
  static final String SESSIONS = "SESSIONS";

  private static final long IDLE_NS = 45_000_000_000L;
  private static final long CALL_NS = 2_000_000_000L;
  private static final int UDP = 17;

  private SnaptDiesDay() {}

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          boolean ofOne = "1".equals(System.getenv(SESSIONS));
          TwoSnapts snapts =
              ofOne
                  ? KilledSnapt.startForOne(clone, directory)
                  : KilledSnapt.start(clone, directory);
          try (HeldConnection held = HeldConnection.open(snapts.lab)) {
            pass(snapts, held, ofOne);
          }
        });
  }

  private static void pass(TwoSnapts snapts, HeldConnection held, boolean ofOne) throws Exception {
    MovingLab lab = snapts.lab;
    held.awaitTraffic(50);
    KilledSnapt day = new KilledSnapt(snapts);
    String victim = day.carrier();
    if (ofOne) {
      drain(snapts, victim);
    }
    day.kill(victim);
    MovingLab.say("refused meanwhile", lab.agent.status().path("data").path("refused").size());
    held.awaitTraffic(10);
    MovingLab.say("held connection answers", held.rest());
    if (ofOne) {
      awaitClosed(snapts);
    }
    MovingLab.say("SNAPTs in use", snapts.states());
    long stoppedNs = System.nanoTime();
    lab.deployment.stop(victim);
    MovingLab.say("held connection ends by", held.awaitEnd());
    MovingLab.say("told after ms", (System.nanoTime() - stoppedNs) / 1_000_000);
    MovingLab.say("refused", lab.agent.status().path("data").path("refused").toString());
    if (ofOne) {
      snapts.awaitAll("one SNAPT is in use");
    }
    MovingLab.say("SNAPTs in use at last", lab.agent.status().path("snapts").toString());
  }

  /// Drains the only SNAPT in use while the held connection stays there.
  private static void drain(TwoSnapts snapts, String snapt) throws Exception {
    MovingLab.say("drain", snapts.lab.orders.byCommand(snapt, "drain"));
    MovingLab.await(() -> snapts.states().equals("leaving carrying"), "a stand-in carries");
    long endNs = System.nanoTime() + CALL_NS;
    CompletableFuture<PacedStream.Result> call = snapts.call(() -> System.nanoTime() - endNs < 0);
    MovingLab.await(() -> callAt(snapts).isPresent(), "a new call has a flow");
    MovingLab.say("new call at the stand-in", !callAt(snapts).orElseThrow().startsWith(snapt));
    MovingLab.say("new call lost", call.get(60, TimeUnit.SECONDS).lost());
    MovingLab.say("undrain", snapts.lab.orders.byCommand(snapt, "undrain"));
    awaitClosed(snapts);
    MovingLab.say("after the drain at", snapts.snapt(snapt).path("state").asString(""));
  }

  private static Optional<String> callAt(TwoSnapts snapts) throws Exception {
    return snapts
        .flows()
        .filter(flow -> flow.path("protocol").asInt() == UDP)
        .map(TwoSnapts::snaptOf)
        .findFirst();
  }

  // The flows of the stand-in end when they have been idle for 60 s.
  private static void awaitClosed(TwoSnapts snapts) throws Exception {
    long endNs = System.nanoTime() + IDLE_NS;
    MovingLab.await(() -> System.nanoTime() - endNs > 0, "time passes");
    snapts.awaitAll("the stand-in is closed");
  }
}
