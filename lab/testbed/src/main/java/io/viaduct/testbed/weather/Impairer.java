package io.viaduct.testbed.weather;

import io.viaduct.testbed.libc.PreciseThread;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/// Moves the frames of one direction from one TAP device to another, as its [LinkModel] decides. It
/// owns a platform thread, which blocks in ppoll(2).
final class Impairer implements AutoCloseable {
  private static final int FRAMES_PER_TURN = 16; // then frames that are due go first
  private static final long SLEEP_NS_MAX = 1_000_000_000L;

  // Sleeping for less costs more than polling. Polling longer would make the delay a little more
  // exact, and would use most of a processor at 100 Mbit/s.
  private static final long SPIN_NS = 10_000;

  private final TapPort from;
  private final TapPort to;
  private final LongSupplier nanoTime;
  private final FrameStore store = new FrameStore();
  private final LinkCounters counters = new LinkCounters();
  private final LinkModel model;
  private final Doorbell doorbell;
  private final Thread thread;
  private volatile Weather weather = Weather.CLEAR; // written by any thread
  private volatile boolean isClosed;

  private Impairer(String name, TapPort from, TapPort to, long seed, LongSupplier nanoTime) {
    this.from = from;
    this.to = to;
    this.nanoTime = nanoTime;
    model = new LinkModel(FrameStore.SLOTS, new SplittableRandom(seed), counters);
    doorbell = new Doorbell(from);
    thread = Thread.ofPlatform().daemon().name("weather:" + name).unstarted(this::run);
  }

  static Impairer start(String name, TapPort from, TapPort to, long seed, LongSupplier nanoTime) {
    var impairer = new Impairer(name, from, to, seed, nanoTime);
    impairer.thread.start();
    return impairer;
  }

  Weather weather() {
    return weather;
  }

  void change(Weather next) {
    weather = next;
    doorbell.ring();
  }

  LinkCounters counters() {
    return counters;
  }

  private void run() {
    PreciseThread.become();
    Weather known = Weather.CLEAR;
    while (!isClosed) {
      Weather wanted = weather;
      if (wanted != known) {
        known = wanted;
        model.change(nanoTime.getAsLong(), known);
      }
      boolean isBusy = readFrames();
      deliverDue();
      if (!isBusy) {
        rest();
      }
    }
  }

  private void rest() {
    long wait = model.nextDueNs(nanoTime.getAsLong(), SLEEP_NS_MAX);
    if (wait > SPIN_NS) {
      doorbell.await(wait - SPIN_NS);
    }
  }

  /// @return true if there may be more frames
  private boolean readFrames() {
    for (int count = 0; count < FRAMES_PER_TURN; count++) {
      int slot = model.acquire();
      if (slot == LinkModel.NONE) {
        return discardFrame();
      }
      int bytes = from.read(store.address(slot), FrameStore.SLOT_BYTES);
      if (bytes <= 0) {
        model.release(slot);
        return false;
      }
      model.offer(nanoTime.getAsLong(), slot, bytes);
    }
    return true;
  }

  private boolean discardFrame() {
    int bytes = from.read(store.spare(), FrameStore.SLOT_BYTES);
    if (bytes > 0) {
      model.refuse(bytes);
    }
    return bytes > 0;
  }

  private void deliverDue() {
    for (int slot = model.takeDue(nanoTime.getAsLong());
        slot != LinkModel.NONE;
        slot = model.takeDue(nanoTime.getAsLong())) {
      deliver(slot);
      if (model.isCopied(slot)) {
        counters.count(Fate.DUPLICATED);
        deliver(slot);
      }
      model.release(slot);
    }
  }

  private void deliver(int slot) {
    int bytes = model.bytes(slot);
    if (to.write(store.address(slot), bytes)) {
      counters.count(Fate.DELIVERED);
      counters.add(Fate.DELIVERED_BYTES, bytes);
    } else {
      counters.count(Fate.LINK_DOWN);
    }
  }

  /// Ends the thread. The TAP devices stay open.
  @Override
  public void close() {
    isClosed = true;
    doorbell.ring();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    doorbell.close();
    store.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
