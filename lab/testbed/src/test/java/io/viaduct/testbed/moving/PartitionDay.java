package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;

/// The first process of the laboratory of [PartitionLabIT]; prints what it sees. A connection with
/// traffic, whose SNAPT is cut off from the device several times.
public final class PartitionDay {
  /// Times that the SNAPT is cut off.
  static final int CUTS = 4;

  private PartitionDay() {}

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          TwoSnapts snapts = KilledSnapt.start(clone, directory);
          KilledSnapt day = new KilledSnapt(snapts);
          try (HeldConnection held = HeldConnection.open(snapts.lab)) {
            for (int cut = 0; cut < CUTS; cut++) {
              held.awaitTraffic(50);
              day.partition(day.carrier());
            }
            held.awaitTraffic(10);
            MovingLab.say("held connection answers", held.rest());
            MovingLab.say("refused", snapts.lab.agent.status().path("data").path("refused").size());
          }
        });
  }
}
