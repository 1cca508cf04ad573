package io.viaduct.testbed.moving;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// Users who register and write messages to each other all the time. Each one stays at a bridge
/// until that does not answer, and then goes to the next one, as phones do (RFC 3263 section 4.3).
final class SipLoad {
  private static final long PAUSE_NS = 20_000_000;

  /// Turns through all bridges before an exchange has failed: a busy machine stands still for long.
  private static final int TURNS = 2;

  private final SipUsers users;
  private final List<String> everybody;
  private final int bridges;
  private final AtomicBoolean going = new AtomicBoolean(true);
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong moved = new AtomicLong();
  private final List<String> failed = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  private interface Exchange {
    int by(int bridge) throws InterruptedException;
  }

  /// @param active who register and write
  /// @param everybody who are written to
  SipLoad(SipUsers users, List<String> active, List<String> everybody, int bridges, long seed) {
    this.users = users;
    this.everybody = everybody;
    this.bridges = bridges;
    for (String each : active) {
      int number = threads.size();
      Random random = new Random(seed + number);
      threads.add(
          Thread.ofVirtual()
              .name("load-" + each)
              .start(() -> run(each, 1 + number % bridges, random)));
    }
  }

  private void run(String user, int first, Random random) {
    int bridge = first;
    try {
      while (going.get()) {
        bridge = exchange("REGISTER of " + user, bridge, at -> users.register(user, at));
        String other = everybody.get(random.nextInt(everybody.size()));
        bridge =
            exchange(
                "MESSAGE from %s to %s".formatted(user, other),
                bridge,
                at -> users.message(user, other, at));
        LockSupport.parkNanos(PAUSE_NS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Tries one bridge after the other.
  ///
  /// @return the bridge that has served
  private int exchange(String what, int first, Exchange exchange) throws InterruptedException {
    List<Integer> seen = new ArrayList<>();
    int bridge = first;
    while (seen.size() < TURNS * bridges) {
      int status = exchange.by(bridge);
      if (status == 200) {
        done.incrementAndGet();
        return bridge;
      }
      seen.add(status);
      moved.incrementAndGet();
      bridge = bridge % bridges + 1;
    }
    failed.add(what + ": " + seen);
    return bridge;
  }

  /// Returns the exchanges that have succeeded.
  long done() {
    return done.get();
  }

  /// Returns how often somebody had to go to another bridge.
  long moved() {
    return moved.get();
  }

  /// Ends the load.
  ///
  /// @return the exchanges that no bridge has served, with the status of each
  List<String> stop() throws InterruptedException {
    going.set(false);
    for (Thread each : threads) {
      each.join();
    }
    return failed;
  }
}
