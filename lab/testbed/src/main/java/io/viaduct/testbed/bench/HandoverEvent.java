package io.viaduct.testbed.bench;

import java.util.List;
import java.util.Map;

/// Something that happens to the links of a device.
interface HandoverEvent {
  /// Returns the name on the command line and in files.
  String name();

  /// Returns one line for people.
  String title();

  List<HandoverGoal> goals();

  /// Returns true if the event makes sense for a peer that is not Viaduct.
  default boolean isFor(Peer other) {
    return false;
  }

  /// Returns the number of repetitions of ours, unless the command line has another one.
  default int repetitions() {
    return 50;
  }

  /// Runs one repetition. It leaves the links to the next one in any state.
  ///
  /// @param seed of this repetition
  /// @throws IllegalStateException when the peer carries no packets before the event, or the event
  ///   is impossible here
  Map<Reading, Double> run(MovingRig rig, long seed) throws Exception;
}
