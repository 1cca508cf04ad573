package io.viaduct.tunnel.session;

import io.viaduct.tunnel.session.NetworkSimulation.Weather;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/// One direction of a network that loses datagrams, duplicates them, and holds some back until they
/// come in another order.
final class WeatheredWire {
  private static final int HELD_MAX = 20;

  /// What is held back longer may find its epoch gone; the receiver waits for half a second.
  private static final long HELD_NS = 200_000_000;

  private final SplittableRandom random;
  private final Weather weather;
  private final List<byte[]> held = new ArrayList<>();
  private long releasedNs;
  long bytes;
  long lost;
  long late;

  WeatheredWire(SplittableRandom random, Weather weather) {
    this.random = random;
    this.weather = weather;
  }

  /// @return what arrives now
  List<byte[]> carry(Deque<byte[]> sent, long nowNs) {
    List<byte[]> now = new ArrayList<>();
    for (byte[] datagram : sent) {
      bytes += datagram.length;
      if (random.nextDouble() < weather.loss()) {
        lost++;
        continue;
      }
      if (random.nextDouble() < weather.duplication()) {
        (random.nextBoolean() ? held : now).add(datagram);
      }
      (random.nextDouble() < weather.reordering() ? held : now).add(datagram);
    }
    sent.clear();
    if (held.size() > HELD_MAX || nowNs - releasedNs > HELD_NS) {
      releasedNs = nowNs;
      now.addAll(rest());
    }
    return now;
  }

  /// Everything that is still under way, in any order.
  List<byte[]> rest() {
    List<byte[]> rest = new ArrayList<>(held);
    held.clear();
    Collections.shuffle(rest, new Random(random.nextLong()));
    late += rest.size();
    return rest;
  }
}
