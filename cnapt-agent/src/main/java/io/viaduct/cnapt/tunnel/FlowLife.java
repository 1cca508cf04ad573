package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.flow.FlowState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One flow as its application has it: it lives on when another SNAPT takes its session over, and
/// when its SNAPT restarts. Each session that carries it has a [FlowState] of its own, and two have
/// one at a time while packets are under way to the former. Owner: the data path's event loop.
final class FlowLife {
  /// Sums since the flow opened, in all its sessions.
  ///
  /// @param sentBytes inner IP bytes that this host has offered
  /// @param receivedBytes inner IP bytes that have arrived here
  /// @param delaySamples number of received packets whose one-way delay is known
  /// @param delaySumUs sum of these delays
  record Counts(
      long sentBytes,
      long sentPackets,
      long receivedBytes,
      long receivedPackets,
      long delaySamples,
      long delaySumUs) {
    private static final Counts NOTHING = new Counts(0, 0, 0, 0, 0, 0);

    private Counts and(FlowState session) {
      return new Counts(
          sentBytes + session.sent().preBytes(),
          sentPackets + session.sent().packets(),
          receivedBytes + session.received().preBytes(),
          receivedPackets + session.received().packets(),
          delaySamples + session.received().delaySamples(),
          delaySumUs + session.received().delaySumUs());
    }

    /// Returns the packets of both directions.
    long packets() {
      return sentPackets + receivedPackets;
    }

    /// Returns the mean one-way delay of the packets that have come since other counts, in ms; null
    /// if none is known.
    @Nullable Double delayMsSince(Counts before) {
      long samples = delaySamples - before.delaySamples;
      return samples <= 0 ? null : (delaySumUs - before.delaySumUs) / 1_000.0 / samples;
    }
  }

  private final List<FlowState> open = new ArrayList<>(1);
  private Counts ended = Counts.NOTHING;
  private int sessions;

  /// Number of the flow in the events of [FlowEvents]; 0 before the first one.
  long eventId;

  /// Counts at the last event with statistics.
  Counts eventCounts = Counts.NOTHING;

  /// Name of the SNAPT by which readers of the events know the flow.
  String eventSnapt = "";

  /// Adds the flow of a session.
  void begins(FlowState in) {
    open.add(in);
    sessions++;
  }

  /// Takes the last counts of the flow of a session.
  void ends(FlowState in) {
    if (open.remove(in)) {
      ended = ended.and(in);
    }
  }

  /// Returns whether the flow has had one session only.
  boolean isInFirstSession() {
    return sessions <= 1;
  }

  /// Returns whether no session has the flow any more.
  boolean isOver() {
    return open.isEmpty();
  }

  Counts counts() {
    Counts sum = ended;
    for (FlowState each : open) {
      sum = sum.and(each);
    }
    return sum;
  }
}
