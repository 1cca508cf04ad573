package io.viaduct.snapt.clock;

import io.viaduct.service.clock.PeerClock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The time of day of a SNAPT. It follows the wall clock while the bridge's clock confirms it.
/// While the two differ, one of them has been set wrongly, and the time goes on by the monotonic
/// clock from the last moment at which they agreed. So neither ends sessions, refuses tokens or
/// dates reports wrongly. If they have never agreed, it goes on from the first answer of the
/// bridge.
///
/// Without an answer that tells the bridge's time, which a bridge of an earlier version does not,
/// it is the wall clock. The monotonic clock stands while the machine is suspended: then the time
/// is late until the next answer. Thread-safe.
public final class ConfirmedClock implements InstantSource {
  private final InstantSource wall;
  private final LongSupplier nanoTime;
  private final PeerClock bridge = new PeerClock("the bridge");
  private volatile @Nullable Reading confirmed;

  /// Both clocks, read at the same moment.
  private record Reading(long wallMs, long ns) {
    long at(long nowNs) {
      return wallMs + Math.floorDiv(nowNs - ns, 1_000_000);
    }
  }

  /// @param wall time of day of this machine, which may be set at any time
  /// @param nanoTime monotonic, ns
  public ConfirmedClock(InstantSource wall, LongSupplier nanoTime) {
    this.wall = wall;
    this.nanoTime = nanoTime;
  }

  /// Compares with the bridge's time. One thread calls this.
  ///
  /// @param bridgeMs Unix time in ms that the bridge has just told; 0 if it does not
  public void onBridge(long bridgeMs) {
    if (bridgeMs == 0) {
      return;
    }
    Reading now = new Reading(wall.millis(), nanoTime.getAsLong());
    if (bridge.told(bridgeMs, now.wallMs()) || confirmed == null) {
      confirmed = now;
    }
  }

  /// Returns the wall clock minus the bridge's clock in seconds; NaN before the bridge has told it.
  public double aheadSeconds() {
    return bridge.aheadSeconds();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public long millis() {
    Reading known = confirmed;
    return known == null ? wall.millis() : known.at(nanoTime.getAsLong());
  }
}
