package io.viaduct.service.clock;

import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Compares this machine's clock with that of a peer. The log has one line when they begin to
/// differ, and one when they agree again. Thread-safe.
public final class PeerClock {
  /// Name of the gauge that shows the difference, in seconds.
  public static final String METRIC = "viaduct_clock_ahead_of_bridge";

  /// Largest difference that needs no alarm, in ms. Tokens and reports allow for as much.
  public static final long TOLERATED_MS = 30_000;

  private static final Logger LOG = LoggerFactory.getLogger(PeerClock.class);

  private final String peer;
  private boolean isKnown;
  private boolean agrees = true;
  private long aheadMs;

  /// @param peer words for the log, such as `the bridge`
  public PeerClock(String peer) {
    this.peer = peer;
  }

  /// Notes a time that the peer has just told.
  ///
  /// @param theirMs Unix time in ms by the peer's clock
  /// @param ourMs Unix time in ms by this machine's clock
  /// @return true if the two agree
  public synchronized boolean told(long theirMs, long ourMs) {
    isKnown = true;
    aheadMs = ourMs - theirMs;
    boolean agreed = agrees;
    agrees = Math.abs(aheadMs) <= TOLERATED_MS;
    if (agreed && !agrees) {
      LOG.error(
          "the clock of this machine is {} s {} that of {}: correct one of them, and keep both by NTP",
          String.format(Locale.ROOT, "%.1f", Math.abs(aheadMs) / 1e3),
          aheadMs > 0 ? "ahead of" : "behind",
          peer);
    } else if (!agreed && agrees) {
      LOG.info("the clock of this machine agrees with that of {} again", peer);
    }
    return agrees;
  }

  /// Returns this machine's time minus the peer's in seconds, when the peer has told it last; NaN
  /// before.
  public synchronized double aheadSeconds() {
    return isKnown ? aheadMs / 1e3 : Double.NaN;
  }
}
