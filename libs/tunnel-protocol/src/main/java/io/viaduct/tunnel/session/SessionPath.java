package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.PacketEncoder;
import io.viaduct.tunnel.path.PathLoss;
import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.path.ProbeExchange;
import io.viaduct.tunnel.scheduling.ClassQueues;

/// One path of a session at this end: what was measured on it, and what waits to leave by it.
///
/// Packets are encoded for a path, because its size bounds their compounds. They are sealed when
/// they leave, so a compound that waits can still leave by another path.
final class SessionPath {
  final int id;
  final PathBudget budget;
  final PathMtuSearch mtu;
  final ClassQueues queues;
  final SessionPacing pacing;
  final ClassCompounds compounds;
  final PacketEncoder encoder;
  final PacketSizes sizes;
  final DatagramWriter datagrams;
  final ProbeExchange probes = new ProbeExchange();
  final PathLoss loss = new PathLoss();

  /// The round trip that the prober shares; at the device its own measurement counts.
  double sharedRoundTripUs = Double.NaN;

  /// Bytes of the packets that were given to this path.
  long offeredBytes;

  /// Highest number of a probe that has arrived by this path, −1 before the first.
  long probeNumber = -1;

  /// Number of the search for the path's size; answers to an earlier one do not count.
  int mtuRun;

  /// True until the path has answered by UDP for the first time since it changed.
  boolean unknown = true;

  /// End of the time in which nothing is sent to the path's address, because the device has said
  /// that it moves. Long.MAX_VALUE at other times.
  long movingUntilNs = Long.MAX_VALUE;

  /// Time before which the path does not wait for another move.
  long stayNs = Long.MIN_VALUE;

  /// Use of this path, which the device decides for both ends.
  PathUse use = PathUse.NO;

  SessionPath(
      int id,
      PathBudget budget,
      ClassQueues queues,
      SessionPacing pacing,
      ClassCompounds compounds,
      PacketEncoder encoder,
      PacketSizes sizes,
      DatagramWriter datagrams) {
    this.id = id;
    this.budget = budget;
    this.mtu = budget.mtu;
    this.queues = queues;
    this.pacing = pacing;
    this.compounds = compounds;
    this.encoder = encoder;
    this.sizes = sizes;
    this.datagrams = datagrams;
  }

  /// Forgets all measurements, because the network under the path has changed. The size is searched
  /// when the new path answers.
  void changed() {
    unknown = true;
    loss.reset();
    mtu.suspend();
    pacing.pathChanged();
  }

  /// Starts the search for the size, because the path has answered by UDP.
  void answers(long nowNs) {
    if (unknown) {
      unknown = false;
      mtuRun = mtuRun + 1 & 0xFFFF;
      mtu.restart(nowNs);
    }
  }

  /// Returns the smoothed round trip in µs; NaN before the first measurement.
  double roundTripUs() {
    double measured = probes.smoothedRoundTripUs();
    return Double.isNaN(measured) ? sharedRoundTripUs : measured;
  }

  /// Gives the memory back, because the session ends.
  void discard() {
    compounds.discard();
  }
}
