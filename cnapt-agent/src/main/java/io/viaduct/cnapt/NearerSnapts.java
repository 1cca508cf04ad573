package io.viaduct.cnapt;

import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptWatch;
import io.viaduct.cnapt.snapts.BetterSnapt;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets the line with the greatest cost leave its SNAPT when one that no line uses is clearly
/// better ([BetterSnapt]). The cost is the round trip in ms, and the price in the ms that it is
/// worth to the user: a dear SNAPT must be so much nearer. New flows then go to the other lines,
/// and the SNAPT is exchanged for that one, and no other, when the last flow is over. If it
/// refuses, the line stays, and the SNAPT is not sought for a while ([RefusedSnapts]). Owner: the
/// control loop.
///
/// @param <L> a line
final class NearerSnapts<L extends NearerSnapts.Line> {
  private static final Logger LOG = LoggerFactory.getLogger(NearerSnapts.class);

  // One lost handshake says nothing; SnaptWatch forgets the round trip after two.
  private static final int UNANSWERED_MAX = 1;

  private final List<L> lines;
  private final Predicate<L> mayDoWithout;
  private final Predicate<Snapt> takesMore;
  private final ToDoubleFunction<Snapt> priceMs;
  private final LeftSnapts left;
  private final LongSupplier nanoTime;
  private final Map<L, BetterSnapt> decisions = new IdentityHashMap<>();
  private final Map<L, Snapt> asked = new IdentityHashMap<>();
  private final RefusedSnapts refused = new RefusedSnapts();

  /// One SNAPT in use. Called on the control loop.
  interface Line {
    /// Returns the name of the SNAPT, for a person.
    String name();

    /// Returns the SNAPT, with its id; null without a session.
    @Nullable Snapt snapt();

    /// Returns whether its control connection stands.
    boolean isConnected();

    /// Returns the smoothed round trip in ms; NaN while it is not known.
    double roundTripMs();

    /// Returns the nearer SNAPT for which the line leaves its own, null for none.
    @Nullable Snapt sought();

    /// Returns whether another SNAPT is being asked to take the line over.
    boolean isMoving();

    /// Lets new flows go elsewhere, and exchanges the SNAPT for this one when the last flow is
    /// over.
    ///
    /// @param refuses run if that SNAPT does not take the device; the line then stays
    void seek(Snapt nearer, Runnable refuses);

    /// Takes new flows again.
    void stay();
  }

  /// A SNAPT that no line uses.
  ///
  /// @param cost in ms
  private record Rival(Snapt at, double cost) {}

  /// @param mayDoWithout tells whether other lines carry
  /// @param takesMore tells whether a SNAPT should get more devices
  /// @param priceMs round trip in ms that the price of a SNAPT is worth
  /// @param left by any line of the device
  NearerSnapts(
      List<L> lines,
      Predicate<L> mayDoWithout,
      Predicate<Snapt> takesMore,
      ToDoubleFunction<Snapt> priceMs,
      LeftSnapts left,
      LongSupplier nanoTime) {
    this.lines = lines;
    this.mayDoWithout = mayDoWithout;
    this.takesMore = takesMore;
    this.priceMs = priceMs;
    this.left = left;
    this.nanoTime = nanoTime;
    lines.forEach(each -> decisions.put(each, new BetterSnapt()));
  }

  /// Takes new measurements of the SNAPTs that no line uses, in the order of the device.
  void measured(List<SnaptWatch.Watched> watched) {
    long nowNs = nanoTime.getAsLong();
    L worst = worst();
    List<Rival> rivals = worst == null ? List.of() : rivals(watched, worst, nowNs);
    for (L each : lines) {
      Snapt sought = each.sought();
      if (sought != null) {
        if (sought.equals(asked.get(each))) {
          stayIfNear(each, sought, watched, nowNs);
        }
      } else if (each == worst
          && mayDoWithout.test(each)
          && decision(each).leaves(cost(each), leastCost(rivals), nowNs)) {
        seek(each, ownOf(rivals));
      }
    }
  }

  private void stayIfNear(L line, Snapt sought, List<SnaptWatch.Watched> watched, long nowNs) {
    left.leaves(line.snapt(), nowNs);
    // the one that is asked is in use meanwhile, and not measured
    if (!line.isMoving() && !BetterSnapt.isClearlyNearer(cost(line), costOf(sought, watched))) {
      line.stay();
    }
  }

  private @Nullable L worst() {
    return lines.stream()
        .filter(each -> each.isConnected() && !Double.isNaN(cost(each)))
        .max(Comparator.comparingDouble(this::cost))
        .orElse(null);
  }

  private double cost(L of) {
    Snapt used = of.snapt();
    return of.roundTripMs() + (used == null ? 0 : priceMs.applyAsDouble(used));
  }

  private double cost(SnaptWatch.Watched of) {
    Double ms = of.roundTripMs();
    return ms == null ? Double.NaN : ms + priceMs.applyAsDouble(of.at());
  }

  private static double leastCost(List<Rival> rivals) {
    return rivals.stream().mapToDouble(Rival::cost).min().orElse(Double.NaN);
  }

  // Of several that are about as good, each device has its own: the best one would be the same for
  // all devices of a region.
  private static Rival ownOf(List<Rival> rivals) {
    double least = leastCost(rivals);
    return rivals.stream()
        .filter(each -> BetterSnapt.isAboutAsNear(each.cost(), least))
        .findFirst()
        .orElseThrow();
  }

  private void seek(L by, Rival rival) {
    LOG.info(
        "{} costs {} ms with its price, and {} of {} ms is free: new flows go elsewhere",
        by.name(),
        Math.round(cost(by)),
        rival.at(),
        Math.round(rival.cost()));
    asked.put(by, rival.at());
    left.leaves(by.snapt(), nanoTime.getAsLong());
    by.seek(rival.at(), () -> refused.refused(rival.at(), nanoTime.getAsLong()));
  }

  // Those that are clearly better than a line, in the order of the device.
  private List<Rival> rivals(List<SnaptWatch.Watched> watched, L than, long nowNs) {
    List<Rival> rivals = new ArrayList<>();
    for (SnaptWatch.Watched each : watched) {
      double cost = each.unanswered() == 0 ? cost(each) : Double.NaN;
      if (BetterSnapt.isClearlyNearer(cost(than), cost)
          && !isSought(each.at())
          && takesMore.test(each.at())
          && !left.has(each.at(), nowNs)
          && !refused.isBlocked(each.at(), nowNs)) {
        rivals.add(new Rival(each.at(), cost));
      }
    }
    return rivals;
  }

  private boolean isSought(Snapt snapt) {
    return lines.stream().anyMatch(each -> snapt.equals(each.sought()));
  }

  private double costOf(Snapt snapt, List<SnaptWatch.Watched> watched) {
    return watched.stream()
        .filter(each -> each.at().equals(snapt) && each.unanswered() <= UNANSWERED_MAX)
        .mapToDouble(this::cost)
        .findFirst()
        .orElse(Double.NaN);
  }

  private BetterSnapt decision(L of) {
    return Objects.requireNonNull(decisions.get(of), "each line has a decision");
  }
}
