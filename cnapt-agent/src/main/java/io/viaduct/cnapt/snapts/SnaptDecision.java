package io.viaduct.cnapt.snapts;

import io.viaduct.tunnel.wire.ServiceClass;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// The choice of a SNAPT for one flow, with what it was made of.
///
/// @param chosen position in the list of the SNAPTs that were weighed
/// @param of class of the flow by its first packet
/// @param isUnmet true if SNAPTs carry, and none of them meets the class
public record SnaptDecision(int chosen, ServiceClass of, List<Weighed> weighed, boolean isUnmet) {
  /// Copies the list.
  public SnaptDecision {
    weighed = List.copyOf(weighed);
  }

  /// One SNAPT in the choice.
  ///
  /// @param missed what of the class is not met
  /// @param costMs the least one is chosen
  public record Weighed(SnaptFacts facts, Missed missed, double costMs) {
    /// Returns whether delay and rate of the class are met.
    public boolean meets() {
      return missed == Missed.NOTHING;
    }

    /// Returns the cost of a flow of a class with its inputs, for a person.
    public String words(ServiceClass of) {
      return String.format(
          Locale.ROOT,
          "%s costs %.1f ms%s (%s, round trip %s, %s up, %s down, own traffic %.1f Mbit/s, price"
              + " %.2f den/GB, load %.0f %%)",
          facts.name(),
          costMs,
          meets()
              ? ""
              : " and does not meet the %s of the class"
                  .formatted(missed.name().toLowerCase(Locale.ROOT)),
          facts.state().name().toLowerCase(Locale.ROOT),
          Double.isNaN(facts.roundTripMs())
              ? "not measured"
              : String.format(Locale.ROOT, "%.1f ms", facts.roundTripMs()),
          spare(facts.up().spareBitPerSecond(of)),
          spare(facts.down().spareBitPerSecond(of)),
          facts.ownBitPerSecond() / 1e6,
          facts.prices().of(of),
          facts.load() * 100);
    }

    private static String spare(double bitPerSecond) {
      return Double.isInfinite(bitPerSecond)
          ? "never full"
          : String.format(Locale.ROOT, "%.1f Mbit/s spare", bitPerSecond / 1e6);
    }
  }

  /// Returns the SNAPT that was chosen, with what it was weighed by.
  public Weighed best() {
    return weighed.get(chosen);
  }

  /// Returns the reason and its inputs, for a person.
  public String why() {
    return words("least cost of");
  }

  /// Returns the same for a flow that is refused.
  public String whyRefused() {
    return words("no SNAPT meets");
  }

  private String words(String begin) {
    return "%s class %s at its first packet: %s"
        .formatted(
            begin,
            of,
            weighed.stream().map(each -> each.words(of)).collect(Collectors.joining("; ")));
  }
}
