package io.viaduct.testbed.weather;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.weather.SlowLink.Arrival;
import io.viaduct.testbed.weather.SlowLink.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// Compares [LinkModel] with [SlowLink] on random frames and random changes of the weather.
class LinkModelProperties {
  private static final long END_NS = 60_000;
  private static final int EVENTS = 40;

  @Property(tries = 150)
  void theModelIsTheSlowLink(@ForAll long seed) {
    List<Event> events = events(new SplittableRandom(seed));
    var slow = new SlowLink(seed);
    List<Arrival> expected = slow.run(events, END_NS);
    var counters = new LinkCounters();
    List<Arrival> arrivals = run(events, seed, counters);
    assertThat(arrivals).as("seed %d", seed).isEqualTo(expected);
    assertThat(counters.get(Fate.QUEUE_FULL)).isEqualTo(slow.full);
    assertThat(counters.get(Fate.LOST)).isEqualTo(slow.lost);
    assertThat(counters.get(Fate.BLACK_HOLE)).isEqualTo(slow.swallowed);
  }

  private static List<Event> events(SplittableRandom random) {
    var events = new ArrayList<Event>();
    long nowNs = 0;
    for (int frame = 0; frame < EVENTS; frame++) {
      nowNs += random.nextInt(3) == 0 ? 0 : random.nextInt(1200);
      Weather weather = random.nextInt(5) == 0 ? weather(random) : null;
      events.add(new Event(nowNs, frame, 60 + random.nextInt(1455), weather));
    }
    return events;
  }

  private static Weather weather(SplittableRandom random) {
    long delay = random.nextInt(5000);
    return new Weather(
        delay,
        random.nextLong(delay + 1),
        random.nextBoolean(),
        new Loss(
            random.nextDouble(), random.nextDouble(), random.nextDouble() / 2, random.nextDouble()),
        random.nextInt(4) == 0 ? 0 : 1_000_000_000L * (5 + random.nextInt(60)),
        random.nextBoolean() ? Long.MAX_VALUE : 1514 + random.nextInt(6000),
        random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(8),
        random.nextInt(3) == 0 ? random.nextDouble() : 0,
        random.nextInt(8) == 0);
  }

  /// Runs the model as the impairer does: it sleeps until the model says that a frame may arrive.
  private static List<Arrival> run(List<Event> events, long seed, LinkCounters counters) {
    var model = new LinkModel(64, new SplittableRandom(seed), counters);
    var frames = new int[64];
    var arrivals = new ArrayList<Arrival>();
    long nowNs = 0;
    for (Event event : events) {
      nowNs = arrive(model, nowNs, event.atNs(), frames, arrivals);
      if (event.weather() == null) {
        int slot = model.acquire();
        frames[slot] = event.frame();
        model.offer(nowNs, slot, event.bytes());
      } else {
        model.change(nowNs, event.weather());
      }
    }
    arrive(model, nowNs, END_NS, frames, arrivals);
    return arrivals;
  }

  private static long arrive(
      LinkModel model, long fromNs, long toNs, int[] frames, List<Arrival> arrivals) {
    long nowNs = fromNs;
    while (true) {
      for (int slot = model.takeDue(nowNs); slot != LinkModel.NONE; slot = model.takeDue(nowNs)) {
        arrivals.add(new Arrival(nowNs, frames[slot]));
        if (model.isCopied(slot)) {
          arrivals.add(new Arrival(nowNs, frames[slot]));
        }
        model.release(slot);
      }
      if (nowNs == toNs) {
        return nowNs;
      }
      // A wait of 0 means that the line is late; the next look is a nanosecond later.
      nowNs += Math.clamp(model.nextDueNs(nowNs, Long.MAX_VALUE), 1, toNs - nowNs);
    }
  }
}
