package io.viaduct.tunnel.session;

import io.viaduct.tunnel.session.NetworkSimulation.NetworkFaults;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/// One direction of a network that loses datagrams, duplicates them, and holds some back to reorder
/// them.
final class FaultyWire {
  private static final int HELD_MAX = 20;

  /// Longest time to hold a datagram back. After more time its epoch may be gone: the receiver
  /// waits for half a second.
  private static final long HELD_NS = 200_000_000;

  private final SplittableRandom random;
  private final NetworkFaults faults;
  private final List<byte[]> held = new ArrayList<>();
  private long releasedNs;
  long bytes;
  long lost;
  long late;

  FaultyWire(SplittableRandom random, NetworkFaults faults) {
    this.random = random;
    this.faults = faults;
  }

  /// Carries datagrams. @return the datagrams that arrive now
  List<byte[]> carry(Deque<byte[]> sent, long nowNs) {
    List<byte[]> now = new ArrayList<>();
    for (byte[] datagram : sent) {
      bytes += datagram.length;
      if (random.nextDouble() < faults.loss()) {
        lost++;
        continue;
      }
      if (random.nextDouble() < faults.duplication()) {
        (random.nextBoolean() ? held : now).add(datagram);
      }
      (random.nextDouble() < faults.reordering() ? held : now).add(datagram);
    }
    sent.clear();
    if (held.size() > HELD_MAX || nowNs - releasedNs > HELD_NS) {
      releasedNs = nowNs;
      now.addAll(rest());
    }
    return now;
  }

  /// Returns all datagrams that are still in flight, in any order.
  List<byte[]> rest() {
    List<byte[]> rest = new ArrayList<>(held);
    held.clear();
    Collections.shuffle(rest, new Random(random.nextLong()));
    late += rest.size();
    return rest;
  }
}
