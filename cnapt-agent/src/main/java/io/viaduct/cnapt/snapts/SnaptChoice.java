package io.viaduct.cnapt.snapts;

import io.viaduct.cnapt.policy.Unmet;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.List;

/// Chooses the SNAPT of a new flow by what was measured (ADR 0050): of those that carry packets,
/// the ones that meet the delay and the rate of the flow's class; of these, the one with the least
/// cost. Has no state: a flow keeps its SNAPT, so nothing can oscillate.
///
/// | class | cost in ms |
/// |---|---|
/// | low delay | the round trip |
/// | high delay | a tenth of the round trip, and [#OWN_TRAFFIC_MS] × the share of own traffic |
/// | all | in addition: the price, and what the SNAPT's load exceeds |
public final class SnaptChoice {
  // Main paper, Table I: the strictest delay of a low-delay class is 200 ms, one way.
  private static final double ROUND_TRIP_MS_MAX = 400;

  // Main paper, Table I and section IV-A.
  private static final double LOW_BIT_PER_SECOND = 16_000;
  private static final double LOW_HD_BIT_PER_SECOND = 64_000;
  private static final double HIGH_LD_BIT_PER_SECOND = 128_000;

  // Enough for a video call, so that no flow of high throughput begins on a full path.
  private static final double HIGH_HD_BIT_PER_SECOND = 2_000_000;

  /// Cost of a SNAPT that has all own traffic. It outweighs a round trip of 1 s.
  private static final double OWN_TRAFFIC_MS = 100;

  // Less own traffic than this does not matter.
  private static final double OWN_BIT_PER_SECOND_LEAST = 1_000_000;

  private static final double LOAD_FREE = 0.8;
  private static final double LOAD_MS = 100;

  private final SnaptsSettings settings;

  /// @param settings the weight of prices
  public SnaptChoice(SnaptsSettings settings) {
    this.settings = settings;
  }

  /// Chooses a SNAPT.
  ///
  /// @param of class of the flow
  /// @param known the SNAPTs, the preferred first; at least one
  public SnaptDecision choose(ServiceClass of, List<SnaptFacts> known) {
    double most = OWN_BIT_PER_SECOND_LEAST;
    for (SnaptFacts each : known) {
      most = Math.max(most, each.ownBitPerSecond());
    }
    List<SnaptDecision.Weighed> weighed = new ArrayList<>(known.size());
    int best = 0;
    for (SnaptFacts each : known) {
      weighed.add(new SnaptDecision.Weighed(each, missed(of, each), cost(of, each, most)));
      int last = weighed.size() - 1;
      if (isBetter(weighed.get(last), weighed.get(best))) {
        best = last;
      }
    }
    boolean carries = weighed.get(best).facts().state() == SnaptFacts.State.CARRYING;
    return new SnaptDecision(best, of, weighed, carries && !weighed.get(best).meets());
  }

  /// Returns what becomes of a flow whose class no SNAPT meets, if the policy does not say it.
  public Unmet unmet() {
    return settings.unmet();
  }

  private static boolean isBetter(SnaptDecision.Weighed one, SnaptDecision.Weighed other) {
    int byState = one.facts().state().compareTo(other.facts().state());
    if (byState != 0) {
      return byState < 0;
    }
    return one.meets() == other.meets() ? one.costMs() < other.costMs() : one.meets();
  }

  private static Missed missed(ServiceClass of, SnaptFacts each) {
    if (of.isLowDelay() && each.roundTripMs() > ROUND_TRIP_MS_MAX) {
      return Missed.DELAY;
    }
    return has(each.up(), of) && has(each.down(), of) ? Missed.NOTHING : Missed.RATE;
  }

  // The first packet of a transfer does not show its direction. The slow direction of a line that
  // is faster in the other one never has the full rate, so half of it is enough.
  private static boolean has(LineLoad line, ServiceClass of) {
    double need = need(of);
    if (of == ServiceClass.HT_HD) {
      need = Math.min(need, Math.max(LOW_HD_BIT_PER_SECOND, line.bitPerSecond() / 2));
    }
    return line.spareBitPerSecond(of) >= need;
  }

  private static double need(ServiceClass of) {
    return switch (of) {
      case LT_LD -> LOW_BIT_PER_SECOND;
      case HT_LD -> HIGH_LD_BIT_PER_SECOND;
      case LT_HD -> LOW_HD_BIT_PER_SECOND;
      case HT_HD -> HIGH_HD_BIT_PER_SECOND;
    };
  }

  /// Returns the cost in ms. A SNAPT that was not measured yet costs as much as the limit.
  private double cost(ServiceClass of, SnaptFacts each, double mostOwn) {
    double roundTripMs = Double.isNaN(each.roundTripMs()) ? ROUND_TRIP_MS_MAX : each.roundTripMs();
    double traffic =
        of.isLowDelay()
            ? roundTripMs
            : roundTripMs / 10 + OWN_TRAFFIC_MS * each.ownBitPerSecond() / mostOwn;
    return traffic
        + settings.priceWeight() * each.prices().of(of)
        + LOAD_MS * Math.max(0, each.load() - LOAD_FREE);
  }
}
