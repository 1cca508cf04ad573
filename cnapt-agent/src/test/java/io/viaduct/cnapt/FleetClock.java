package io.viaduct.cnapt;

import java.util.PriorityQueue;

/// The time of a simulation, and what is due at it: events of one time run in the order in which
/// they were set.
final class FleetClock {
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowMs;
  private long number;

  private record Event(long atMs, long number, Runnable work) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atMs, other.atMs);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  long nowMs() {
    return nowMs;
  }

  long nowNs() {
    return nowMs * 1_000_000;
  }

  /// Runs something after a time.
  void after(double ms, Runnable work) {
    events.add(new Event(nowMs + Math.max(0, Math.round(ms)), number++, work));
  }

  /// Runs something again and again.
  void every(long ms, double firstMs, Runnable work) {
    after(
        firstMs,
        () -> {
          work.run();
          every(ms, ms, work);
        });
  }

  /// Lets time pass.
  void pass(long ms) {
    long untilMs = nowMs + ms;
    while (!events.isEmpty() && events.peek().atMs <= untilMs) {
      Event next = events.remove();
      nowMs = next.atMs;
      next.work.run();
    }
    nowMs = untilMs;
  }
}
