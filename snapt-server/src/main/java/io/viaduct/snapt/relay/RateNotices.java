package io.viaduct.snapt.relay;

import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.control.v1.PathRate;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides when a device is told the rate of the line from the SNAPT, and those of its paths: while
/// the pacer limits, at changes of a fifth of the rate, of a class's queue or of a path, at most
/// once per second; once when it stops to limit, or no receipt confirms the rate any more; and in a
/// new control connection, because what the former one was given may be lost. Owned by the
/// session's event loop.
final class RateNotices {
  static final long SPACING_NS = 1_000_000_000L;
  static final double CHANGE = 0.2;

  /// Bytes by which a queue must change, because short queues change all the time.
  static final int QUEUE_BYTES_LEAST = 16_384;

  private final int[] queues = new int[ServiceClass.COUNT]; // now
  private final int[] toldQueues = new int[ServiceClass.COUNT];
  private List<PathRate> toldPaths = List.of();
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
    return due(of.confirmedBitPerSecond(nowNs), queues, PathRates.of(of, nowNs), nowNs);
  }

  /// @param paced infinite without a limit
  /// @param queuedBytes by class
  /// @param paths those in use, if there are several
  @Nullable LineRate due(double paced, int[] queuedBytes, List<PathRate> paths, long nowNs) {
    double rate = Double.isInfinite(paced) ? 0 : paced;
    boolean knowsLimit = toldBitPerSecond != 0;
    boolean isNews =
        (rate == 0 ? knowsLimit : hasChanged(rate, queuedBytes))
            || PathRates.haveChanged(toldPaths, paths);
    boolean isEarly = (knowsLimit || PathRates.areKnown(toldPaths)) && nowNs - toldNs < SPACING_NS;
    if (!repeats && (!isNews || isEarly)) {
      return null;
    }
    repeats = false;
    hasTold = true;
    toldPaths = paths;
    toldBitPerSecond = rate;
    toldNs = nowNs;
    LineRate.Builder told =
        LineRate.newBuilder().setBitPerSecond(Math.round(rate)).addAllPaths(paths);
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
