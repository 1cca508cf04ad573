package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;

/// The first process of the laboratory of [SnaptDiesLabIT]; prints what it sees. A connection with
/// traffic. Its SNAPT is killed and comes back, and then it stays away.
public final class SnaptDiesDay {
  private SnaptDiesDay() {}

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          TwoSnapts snapts = KilledSnapt.start(clone, directory);
          try (HeldConnection held = HeldConnection.open(snapts.lab)) {
            pass(snapts, held);
          }
        });
  }

  private static void pass(TwoSnapts snapts, HeldConnection held) throws Exception {
    MovingLab lab = snapts.lab;
    held.awaitTraffic(50);
    KilledSnapt day = new KilledSnapt(snapts);
    String victim = day.carrier();
    day.kill(victim);
    MovingLab.say("refused meanwhile", lab.agent.status().path("data").path("refused").size());
    held.awaitTraffic(10);
    MovingLab.say("held connection answers", held.rest());
    long stoppedNs = System.nanoTime();
    lab.deployment.stop(victim);
    MovingLab.say("held connection ends by", held.awaitEnd());
    MovingLab.say("told after ms", (System.nanoTime() - stoppedNs) / 1_000_000);
    MovingLab.say("refused", lab.agent.status().path("data").path("refused").toString());
  }
}
