package io.viaduct.cnapt.snapts;

import io.viaduct.tunnel.wire.ServiceClass;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// The choice of a SNAPT for one flow, with what it was made of.
///
/// @param chosen position in the list of the SNAPTs that were weighed
/// @param of class of the flow by its first packet
public record SnaptDecision(int chosen, ServiceClass of, List<Weighed> weighed) {
  /// Copies the list.
  public SnaptDecision {
    weighed = List.copyOf(weighed);
  }

  /// One SNAPT in the choice.
  ///
  /// @param meets whether delay and rate of the class are met
  /// @param costMs the least one is chosen
  public record Weighed(SnaptFacts facts, boolean meets, double costMs) {
    private String words(ServiceClass of) {
      double spare = facts.spareBitPerSecond(of);
      return String.format(
          Locale.ROOT,
          "%s costs %.1f ms%s (%s, round trip %s, %s, own traffic %.1f Mbit/s, price %.2f den/GB, load %.0f %%)",
          facts.name(),
          costMs,
          meets ? "" : " and does not meet the class",
          facts.state().name().toLowerCase(Locale.ROOT),
          Double.isNaN(facts.roundTripMs())
              ? "not measured"
              : String.format(Locale.ROOT, "%.1f ms", facts.roundTripMs()),
          Double.isInfinite(spare)
              ? "never full"
              : String.format(Locale.ROOT, "%.1f Mbit/s spare", spare / 1e6),
          facts.ownBitPerSecond() / 1e6,
          facts.prices().of(of),
          facts.load() * 100);
    }
  }

  /// Returns the reason and its inputs, for a person.
  public String why() {
    return "least cost of class %s at its first packet: %s"
        .formatted(
            of, weighed.stream().map(each -> each.words(of)).collect(Collectors.joining("; ")));
  }
}
