package io.viaduct.cnapt;

import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptClaims;
import io.viaduct.cnapt.control.SnaptOrder;
import io.viaduct.cnapt.snapts.BetterSnapt;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets a line leave a SNAPT that is loaded more than another one by [#LEAVES_PERCENT] points or
/// more, when its last flow is over: a SNAPT has more devices than others by chance, and one that
/// is back after a failure has none. The bridge tells the loads of others in steps of ten points
/// and 4 s late, and all devices hear them at the same time. So each waits for a random time of up
/// to [#WAIT_NS] for each SNAPT of the list, and leaves if the difference is still there. The new
/// SNAPT is the first of the device's order with so little load, unless the present one is clearly
/// nearer.
///
/// Owner: the control loop.
///
/// @param <L> a line
final class LoadSpread<L extends NearerSnapts.Line> {
  private static final Logger LOG = LoggerFactory.getLogger(LoadSpread.class);

  /// Two steps: a difference of one may be none.
  static final int LEAVES_PERCENT = 20;

  // Below one step there is no difference any more.
  private static final int STAYS_PERCENT = 10;

  /// In the time in which a load is told, the devices that have waited may add to one SNAPT a tenth
  /// of what it has on average.
  static final long WAIT_NS = 30_000_000_000L;

  static final long LOOK_MS = 10_000;

  private final List<L> lines;
  private final SnaptClaims claims;
  private final SnaptOrder order;
  private final LeftSnapts left;
  private final RandomGenerator random;
  private final LongSupplier nanoTime;
  private final Map<L, Long> dueNs = new IdentityHashMap<>();
  private final Map<L, Snapt> asked = new IdentityHashMap<>();
  private List<Snapt> listed = List.of();
  private boolean hasSought;
  private long soughtNs;

  LoadSpread(
      List<L> lines,
      SnaptClaims claims,
      LeftSnapts left,
      RandomGenerator random,
      LongSupplier nanoTime) {
    this.lines = lines;
    this.claims = claims;
    this.order = claims.order();
    this.left = left;
    this.random = random;
    this.nanoTime = nanoTime;
  }

  /// Takes a list, whose loads [SnaptOrder] has.
  ///
  /// @param now SNAPTs in the order of the device
  void told(List<Snapt> now) {
    listed = now;
    look();
  }

  /// Looks whether a line should leave, or stay. To be called every [#LOOK_MS], because a list
  /// comes only if something has changed.
  void look() {
    long nowNs = nanoTime.getAsLong();
    for (L each : lines) {
      Snapt used = each.snapt();
      Snapt sought = each.sought();
      if (used == null || !each.isConnected()) {
        dueNs.remove(each);
      } else if (sought != null) {
        stayIfEven(each, used, sought, nowNs);
      } else if (!hasSought || nowNs - soughtNs >= LeftSnapts.HOLD_NS) {
        seekIfDue(each, used, nowNs);
      }
    }
  }

  private void stayIfEven(L line, Snapt used, Snapt sought, long nowNs) {
    if (sought.equals(asked.get(line))) {
      left.leaves(used, nowNs);
      if (!line.isMoving() && more(used, sought) < STAYS_PERCENT) {
        line.stay();
      }
    }
  }

  private void seekIfDue(L line, Snapt used, long nowNs) {
    Snapt lighter = lighter(line, used, nowNs);
    if (lighter == null) {
      dueNs.remove(line);
      return;
    }
    Long due = dueNs.get(line);
    if (due == null) {
      dueNs.put(line, nowNs + random.nextLong(listed.size() * WAIT_NS));
    } else if (nowNs - due >= 0) {
      dueNs.remove(line);
      seek(line, used, lighter, nowNs);
    }
  }

  private void seek(L line, Snapt used, Snapt lighter, long nowNs) {
    LOG.info(
        "{} has a load of {} %, and {} of {} %: it takes the place after the last flow",
        used, order.loadPercent(used), lighter, order.loadPercent(lighter));
    hasSought = true;
    soughtNs = nowNs;
    asked.put(line, lighter);
    left.leaves(used, nowNs);
    line.seek(lighter, () -> {}); // after a refusal, the hold time is the pause
  }

  private @Nullable Snapt lighter(L line, Snapt used, long nowNs) {
    for (Snapt each : listed) {
      if (order.loadPercent(each) >= 0
          && more(used, each) >= LEAVES_PERCENT
          && !claims.isHeld(each)
          && !left.has(each, nowNs)
          && !order.isBehind(each, used)
          && !BetterSnapt.isClearlyNearer(claims.roundTripMs(each), line.roundTripMs())) {
        return each;
      }
    }
    return null;
  }

  private int more(Snapt than, Snapt other) {
    return order.loadPercent(than) - order.loadPercent(other);
  }
}
