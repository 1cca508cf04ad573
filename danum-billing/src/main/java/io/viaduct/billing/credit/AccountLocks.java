package io.viaduct.billing.credit;

import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/// Keeps what this instance decides and sends about one account in order. Accounts share locks only
/// if their hashes collide. Across instances the database decides in order.
final class AccountLocks {
  private static final int LOCKS = 1024;

  private final ReentrantLock[] locks =
      IntStream.range(0, LOCKS).mapToObj(_ -> new ReentrantLock()).toArray(ReentrantLock[]::new);

  void run(String account, Runnable action) {
    ReentrantLock lock = locks[Math.floorMod(account.hashCode(), LOCKS)];
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }
}
