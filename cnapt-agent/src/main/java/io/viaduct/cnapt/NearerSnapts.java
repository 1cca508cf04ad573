package io.viaduct.cnapt;

import io.viaduct.cnapt.control.SnaptWatch;
import io.viaduct.cnapt.snapts.BetterSnapt;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets the line with the longest round trip leave its SNAPT when one that no line uses is clearly
/// nearer ([BetterSnapt]). New flows then go to the other lines, and the SNAPT is exchanged when
/// the last flow is over. Owner: the control loop.
final class NearerSnapts {
  private static final Logger LOG = LoggerFactory.getLogger(NearerSnapts.class);

  private final List<SnaptLine> lines;
  private final Predicate<SnaptLine> mayDoWithout;
  private final LongSupplier nanoTime;
  private final Map<SnaptLine, BetterSnapt> decisions = new IdentityHashMap<>();

  /// @param mayDoWithout tells whether other lines carry
  NearerSnapts(List<SnaptLine> lines, Predicate<SnaptLine> mayDoWithout, LongSupplier nanoTime) {
    this.lines = lines;
    this.mayDoWithout = mayDoWithout;
    this.nanoTime = nanoTime;
    lines.forEach(each -> decisions.put(each, new BetterSnapt()));
  }

  /// Takes new measurements of the SNAPTs that no line uses.
  void measured(List<SnaptWatch.Watched> watched) {
    double rivalMs =
        watched.stream()
            .filter(each -> each.unanswered() == 0)
            .map(SnaptWatch.Watched::roundTripMs)
            .filter(Objects::nonNull)
            .mapToDouble(Double::doubleValue)
            .min()
            .orElse(Double.NaN);
    SnaptLine farthest =
        lines.stream()
            .filter(each -> each.state().isConnected() && !Double.isNaN(each.end().roundTripMs()))
            .max(Comparator.comparingDouble(each -> each.end().roundTripMs()))
            .orElse(null);
    for (SnaptLine each : lines) {
      double usedMs = each.end().roundTripMs();
      if (each.isForSomethingNearer()) {
        if (!BetterSnapt.isClearlyNearer(usedMs, rivalMs)) {
          each.seeksNearer(false);
        }
      } else if (each == farthest
          && mayDoWithout.test(each)
          && decision(each).leaves(usedMs, rivalMs, nanoTime.getAsLong())) {
        LOG.info(
            "{} has a round trip of {} ms, and a SNAPT of {} ms is free: new flows go elsewhere",
            each.end().name(),
            Math.round(usedMs),
            Math.round(rivalMs));
        each.seeksNearer(true);
      }
    }
  }

  private BetterSnapt decision(SnaptLine of) {
    return Objects.requireNonNull(decisions.get(of), "each line has a decision");
  }
}
