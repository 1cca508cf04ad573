package io.viaduct.snapt.relay;

import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import org.jspecify.annotations.Nullable;

/// Decides when a device is told the rate of the line from the SNAPT: while the pacer limits, at
/// changes of a fifth of the rate or of a class's queue, at most once per second; once when it
/// stops to limit, or no receipt confirms the rate any more; and in a new control connection,
/// because what the former one was given may be lost. Owned by the session's event loop.
final class RateNotices {
  static final long SPACING_NS = 1_000_000_000L;
  static final double CHANGE = 0.2;

  /// Bytes by which a queue must change, because short queues change all the time.
  static final int QUEUE_BYTES_LEAST = 16_384;

  private final int[] queues = new int[ServiceClass.COUNT]; // now
  private final int[] toldQueues = new int[ServiceClass.COUNT];
  private double toldBitPerSecond; // 0: the device knows of no limit
  private long toldNs;
  private boolean hasTold;
  private boolean repeats;

  /// Lets the next notice tell the present state, because the device has connected again. One that
  /// was never told anything knows of no limit.
  void connected() {
    repeats = hasTold;
  }

  /// Returns what the device of a session should be told now; null for nothing.
  @Nullable LineRate due(TunnelSession of, long nowNs) {
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      queues[c] = of.queuedBytes(ServiceClass.of(c));
    }
    return due(of.confirmedBitPerSecond(nowNs), queues, nowNs);
  }

  /// @param paced infinite without a limit
  /// @param queuedBytes by class
  @Nullable LineRate due(double paced, int[] queuedBytes, long nowNs) {
    double rate = Double.isInfinite(paced) ? 0 : paced;
    boolean hasLimit = rate != 0;
    boolean knowsLimit = toldBitPerSecond != 0;
    if (!repeats
        && (!hasLimit && !knowsLimit
            || knowsLimit && nowNs - toldNs < SPACING_NS
            || hasLimit && !hasChanged(rate, queuedBytes))) {
      return null;
    }
    repeats = false;
    hasTold = true;
    toldBitPerSecond = rate;
    toldNs = nowNs;
    LineRate.Builder told = LineRate.newBuilder().setBitPerSecond(Math.round(rate));
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      toldQueues[c] = queuedBytes[c];
      told.addQueuedBytes(queuedBytes[c]);
    }
    return told.build();
  }

  private boolean hasChanged(double rate, int[] queuedBytes) {
    if (Math.abs(rate - toldBitPerSecond) >= CHANGE * toldBitPerSecond) {
      return true;
    }
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      int change = Math.abs(queuedBytes[c] - toldQueues[c]);
      if (change >= QUEUE_BYTES_LEAST
          && change >= CHANGE * Math.max(queuedBytes[c], toldQueues[c])) {
        return true;
      }
    }
    return false;
  }
}
