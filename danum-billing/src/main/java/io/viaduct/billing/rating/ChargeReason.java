package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Explains a charge in one sentence, for the user who pays it.
public final class ChargeReason {
  private ChargeReason() {}

  /// The facts that the sentence states.
  ///
  /// @param throughputKbitPerSecond kbit/s
  /// @param delayMs one-way delay that was priced, milliseconds
  /// @param delayErrorMs bound on the error of the delay, milliseconds; null if it is not known
  /// @param loss lost share of packets, 0..1
  /// @param pricePerUnit den per virtual unit
  /// @param units virtual units
  /// @param preBytes bytes before aggregation
  /// @param postBytes bytes on the wire
  public record Facts(
      String serviceClass,
      String application,
      double throughputKbitPerSecond,
      double delayMs,
      @Nullable Double delayErrorMs,
      DelaySource delaySource,
      double loss,
      double pricePerUnit,
      double units,
      MicroDenarii charge,
      MicroDenarii discount,
      long preBytes,
      long postBytes) {}

  public static String of(Facts f) {
    if (f.preBytes() == 0) {
      return "nothing carried, nothing charged";
    }
    String carried =
        String.format(
            Locale.ROOT,
            "%s as %s at %.1f kbit/s, delay %.1f%s ms (%s), loss %.2f %%",
            f.application(),
            f.serviceClass().replace('_', '&'),
            f.throughputKbitPerSecond(),
            f.delayMs(),
            f.delayErrorMs() == null ? "" : String.format(Locale.ROOT, " ± %.1f", f.delayErrorMs()),
            f.delaySource().description(),
            f.loss() * 100);
    double priced = f.pricePerUnit() * f.units();
    String price =
        "%s den/vu x %s vu = %s den"
            .formatted(number(f.pricePerUnit()), number(f.units()), denarii(f.charge()));
    if (Rounding.ofDenarii(Math.min(priced, 1e9)).compareTo(f.charge()) > 0) {
      price += " (limited to the utility received)";
    }
    String saved =
        f.postBytes() < f.preBytes()
            ? "; %d of %d bytes saved".formatted(f.preBytes() - f.postBytes(), f.preBytes())
            : "; no bytes saved";
    String discount = f.discount().isZero() ? "" : ", discount " + denarii(f.discount()) + " den";
    return carried + ": " + price + saved + discount;
  }

  private static String denarii(MicroDenarii amount) {
    return "%d.%06d".formatted(amount.value() / 1_000_000, amount.value() % 1_000_000);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.6g", value);
  }
}
