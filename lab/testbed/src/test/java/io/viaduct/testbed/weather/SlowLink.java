package io.viaduct.testbed.weather;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// The slow and obvious link: it looks at every nanosecond.
final class SlowLink {
  /// @param weather null for a frame
  record Event(long atNs, int frame, int bytes, @Nullable Weather weather) {}

  record Arrival(long atNs, int frame) {}

  private record Queued(int frame, int bytes) {}

  private final SplittableRandom random;
  private final ArrayDeque<Queued> queue = new ArrayDeque<>();
  private final List<Arrival> arrivals = new ArrayList<>();
  private Weather weather = Weather.CLEAR;
  private long freeAtNs;
  private boolean isBad;
  int full;
  int lost;
  int swallowed;

  SlowLink(long seed) {
    random = new SplittableRandom(seed);
  }

  /// Returns the arrivals in their order; a copy follows its original.
  List<Arrival> run(List<Event> events, long endNs) {
    int next = 0;
    for (long nowNs = 0; nowNs <= endNs; nowNs++) {
      serve(nowNs);
      while (next < events.size() && events.get(next).atNs() == nowNs) {
        Event event = events.get(next++);
        if (event.weather() == null) {
          offer(nowNs, event);
        } else {
          change(nowNs, event.weather());
        }
        serve(nowNs);
      }
    }
    arrivals.sort(
        Comparator.comparingLong(Arrival::atNs)); // stable: ties keep the order of departure
    return arrivals;
  }

  private void offer(long nowNs, Event frame) {
    int waiting = queue.stream().mapToInt(Queued::bytes).sum();
    if (queue.size() + 1 > weather.queueFrames()
        || waiting + frame.bytes() > weather.queueBytes()) {
      full++;
      return;
    }
    queue.add(new Queued(frame.frame(), frame.bytes()));
    if (queue.size() == 1) {
      freeAtNs = nowNs + time(frame.bytes());
    }
  }

  private void change(long nowNs, Weather to) {
    if (!queue.isEmpty()) {
      long bits = (freeAtNs - nowNs) * weather.rateBitPerSecond();
      freeAtNs = nowNs + (to.rateBitPerSecond() == 0 ? 0 : bits / to.rateBitPerSecond());
    }
    weather = to;
  }

  private long time(int bytes) {
    long rate = weather.rateBitPerSecond();
    return rate == 0 ? 0 : bytes * 8_000_000_000L / rate;
  }

  private void serve(long nowNs) {
    while (!queue.isEmpty() && freeAtNs == nowNs) {
      depart(nowNs, queue.remove().frame());
      if (!queue.isEmpty()) {
        freeAtNs = nowNs + time(queue.element().bytes());
      }
    }
  }

  private void depart(long nowNs, int frame) {
    double step = random.nextDouble();
    double loss = random.nextDouble();
    double jitter = random.nextDouble();
    double copy = random.nextDouble();
    isBad = isBad ? step >= weather.loss().leave() : step < weather.loss().enter();
    if (weather.isBlackHole()) {
      swallowed++;
    } else if (loss < (isBad ? weather.loss().whenBad() : weather.loss().whenGood())) {
      lost++;
    } else {
      long due = nowNs + weather.delayNs() + (long) ((2 * jitter - 1) * weather.jitterNs());
      if (!weather.isReordering()) {
        due = Math.max(due, arrivals.stream().mapToLong(Arrival::atNs).max().orElse(due));
      }
      arrivals.add(new Arrival(due, frame));
      if (copy < weather.duplication()) {
        arrivals.add(new Arrival(due, frame));
      }
    }
  }
}
