package io.viaduct.testbed.weather;

import java.util.random.RandomGenerator;

/// Decides the fate and the arrival time of each frame of one direction. It owns no clock and no
/// socket: times are arguments, in nanoseconds of any origin, and must not run backwards.
///
/// ```
///   offer ─▶ queue (tail drop) ─▶ line (rate) ─▶ loss, black hole ─▶ delay, jitter, copy ─▶ takeDue
/// ```
///
/// A frame leaves the queue when the line has sent its last bit. So a queue of `n` bytes delays a
/// frame by at most `n` bytes at the line's rate. Times are exact even when the calls are late. One
/// thread uses a model. No call allocates.
public final class LinkModel {
  /// Returned by [#acquire] and [#takeDue] for no slot.
  public static final int NONE = -1;

  private final RandomGenerator random;
  private final LinkCounters counters;
  private final int[] free;
  private final int[] bytes;
  private final boolean[] isCopied;
  private final int[] queue;
  private final Flight flight;
  private Weather weather = Weather.CLEAR;
  private int freeCount;
  private int queueStart;
  private int queuedFrames;
  private long queuedBytes;
  private long departureNs; // of the first frame in the queue
  private long lastDueNs;
  private boolean hasDeparted;
  private boolean isBad;

  /// @param slots most frames under way
  /// @param random draws four numbers per frame, whatever the weather is, so that a change of one
  ///   setting does not change the fate of later frames
  public LinkModel(int slots, RandomGenerator random, LinkCounters counters) {
    this.random = random;
    this.counters = counters;
    free = new int[slots];
    bytes = new int[slots];
    isCopied = new boolean[slots];
    queue = new int[slots];
    flight = new Flight(slots);
    for (int slot = slots - 1; slot >= 0; slot--) {
      free[freeCount++] = slot;
    }
  }

  /// Changes the weather. A frame in transmission continues at the new rate; frames in flight
  /// arrive at their time.
  public void change(long nowNs, Weather to) {
    advance(nowNs);
    if (queuedFrames > 0) {
      long rate = weather.rateBitPerSecond();
      double rest = (departureNs - nowNs) * (double) rate; // a queue exists only with a rate
      departureNs =
          nowNs + (to.rateBitPerSecond() == 0 ? 0 : (long) (rest / to.rateBitPerSecond()));
    }
    weather = to;
    advance(nowNs);
  }

  /// Takes a free slot for the next frame.
  ///
  /// @return [#NONE] if all are in use
  public int acquire() {
    return freeCount == 0 ? NONE : free[--freeCount];
  }

  /// Gives a slot back after its frame was delivered or not used.
  public void release(int slot) {
    free[freeCount++] = slot;
  }

  /// Counts a frame for which there was no slot.
  public void refuse(int frameBytes) {
    counters.count(Fate.OFFERED);
    counters.add(Fate.OFFERED_BYTES, frameBytes);
    counters.count(Fate.STORE_FULL);
  }

  /// Puts a frame in front of the line. The slot belongs to the model until [#takeDue] returns it.
  public void offer(long nowNs, int slot, int frameBytes) {
    advance(nowNs);
    counters.count(Fate.OFFERED);
    counters.add(Fate.OFFERED_BYTES, frameBytes);
    if (queuedFrames >= weather.queueFrames() || queuedBytes + frameBytes > weather.queueBytes()) {
      counters.count(Fate.QUEUE_FULL);
      release(slot);
      return;
    }
    bytes[slot] = frameBytes;
    queue[(queueStart + queuedFrames) % queue.length] = slot;
    queuedBytes += frameBytes;
    if (queuedFrames++ == 0) {
      departureNs = nowNs + weather.transmissionNs(frameBytes);
      advance(nowNs);
    }
  }

  private void advance(long nowNs) {
    while (queuedFrames > 0 && departureNs - nowNs <= 0) {
      int slot = queue[queueStart];
      queueStart = (queueStart + 1) % queue.length;
      queuedFrames--;
      queuedBytes -= bytes[slot];
      depart(slot, departureNs);
      if (queuedFrames > 0) {
        departureNs += weather.transmissionNs(bytes[queue[queueStart]]);
      }
    }
  }

  private void depart(int slot, long atNs) {
    boolean isLost = isLost();
    double jitter = random.nextDouble() * 2 - 1;
    isCopied[slot] = random.nextDouble() < weather.duplication();
    if (weather.isBlackHole()) {
      counters.count(Fate.BLACK_HOLE);
      release(slot);
    } else if (isLost) {
      counters.count(Fate.LOST);
      release(slot);
    } else {
      long due = atNs + weather.delayNs() + (long) (jitter * weather.jitterNs());
      if (!weather.isReordering() && hasDeparted && due - lastDueNs < 0) {
        due = lastDueNs;
      }
      lastDueNs = !hasDeparted || due - lastDueNs > 0 ? due : lastDueNs;
      hasDeparted = true;
      flight.add(due, slot);
    }
  }

  private boolean isLost() {
    Loss loss = weather.loss();
    double step = random.nextDouble();
    isBad = isBad ? step >= loss.leave() : step < loss.enter();
    return random.nextDouble() < (isBad ? loss.whenBad() : loss.whenGood());
  }

  /// Returns the slot of a frame that has arrived, or [#NONE]. The caller delivers it, twice if
  /// [#isCopied], and then calls [#release].
  public int takeDue(long nowNs) {
    advance(nowNs);
    return flight.isEmpty() || flight.firstDueNs() - nowNs > 0 ? NONE : flight.removeFirst();
  }

  /// Returns true if the frame arrives twice.
  public boolean isCopied(int slot) {
    return isCopied[slot];
  }

  /// Returns the length of the frame.
  public int bytes(int slot) {
    return bytes[slot];
  }

  /// Returns the earliest time from now at which a frame may arrive, at most `limitNs` later.
  public long nextDueNs(long nowNs, long limitNs) {
    long wait = limitNs;
    if (!flight.isEmpty()) {
      wait = Math.min(wait, flight.firstDueNs() - nowNs);
    }
    if (queuedFrames > 0) {
      long soonest = departureNs + weather.delayNs() - weather.jitterNs();
      wait = Math.min(wait, soonest - nowNs);
    }
    return Math.max(0, wait);
  }
}
