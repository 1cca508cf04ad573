package io.viaduct.tunnel.scheduling;

import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.wire.ServiceClass;

/// Serves the highest class that waits, with a floor for lower ones.
///
/// While a class waits, it earns a share of the bytes that higher classes send. It is served when
/// it has earned the length of its first compound (deficit counters, Shreedhar and Varghese,
/// "Efficient Fair Queuing using Deficit Round Robin", 1995).
public final class StrictPriority implements ServiceOrder {
  private final int floorPercent;
  private final long[] earned = new long[ServiceClass.COUNT];

  /// Creates the order.
  ///
  /// @param floorPercent share that a waiting class earns of the bytes of higher classes
  public StrictPriority(int floorPercent) {
    this.floorPercent = floorPercent;
  }

  @Override
  public int next(ClassQueues queues) {
    int first = -1;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      if (!queues.waits(c)) {
        continue;
      }
      if (first < 0) {
        first = c;
      } else if (earned[c] >= 100L * queues.firstBytes(c)) {
        return c;
      }
    }
    return first;
  }

  @Override
  public void added(Compound compound, long nowNs) {
    // A class earns while it waits, from what others send.
  }

  @Override
  public void taken(int serviceClass, int bytes, ClassQueues queues, long nowNs) {
    earned[serviceClass] =
        queues.waits(serviceClass) ? Math.max(0, earned[serviceClass] - 100L * bytes) : 0;
    for (int lower = serviceClass + 1; lower < ServiceClass.COUNT; lower++) {
      if (queues.waits(lower)) {
        earned[lower] += (long) floorPercent * bytes;
      }
    }
  }

  /// Returns all, or the floor while a higher class has a standing queue.
  @Override
  public double share(ServiceClass serviceClass, ClassQueues queues, long standingNs, long nowNs) {
    for (int c = 0; c < serviceClass.ordinal(); c++) {
      if (queues.waitNs(c, nowNs) > standingNs) {
        return floorPercent / 100.0;
      }
    }
    return 1;
  }
}
