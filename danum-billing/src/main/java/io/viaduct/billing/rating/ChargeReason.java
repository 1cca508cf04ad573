package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Explains a charge in one sentence, for the user who pays it.
public final class ChargeReason {
  private ChargeReason() {}

  /// The facts that the sentence states.
  ///
  /// @param throughputKbitPerSecond what the flow carried, kbit/s
  /// @param offeredKbitPerSecond what the path offered to its application, kbit/s; null if the flow
  ///   was priced at what it carried
  /// @param delayMs one-way delay that was priced, milliseconds
  /// @param delayErrorMs bound on the error of the delay, milliseconds; null if it is not known
  /// @param loss lost share of packets, 0..1
  /// @param pricePerUnit den per virtual unit
  /// @param units virtual units
  /// @param received the flow's part of the utility received, den
  /// @param lines the bill
  /// @param broken the promise that was broken, or null
  /// @param preBytes bytes before aggregation
  /// @param postBytes bytes on the wire
  public record Facts(
      String serviceClass,
      String application,
      double throughputKbitPerSecond,
      @Nullable Double offeredKbitPerSecond,
      double delayMs,
      @Nullable Double delayErrorMs,
      DelaySource delaySource,
      double loss,
      double pricePerUnit,
      double units,
      double received,
      BillLines lines,
      @Nullable BrokenPromise broken,
      long preBytes,
      long postBytes) {}

  public static String of(Facts f) {
    if (f.preBytes() == 0) {
      return "nothing carried, nothing charged";
    }
    return carried(f) + ": " + priced(f) + saved(f) + fees(f.lines()) + refund(f);
  }

  private static String carried(Facts f) {
    return format(
        "%s as %s at %.1f kbit/s%s, delay %.1f%s ms (%s), loss %.2f %%",
        f.application(),
        f.serviceClass().replace('_', '&'),
        f.throughputKbitPerSecond(),
        f.offeredKbitPerSecond() == null
            ? ""
            : format(" (the path offered %.1f)", f.offeredKbitPerSecond()),
        f.delayMs(),
        f.delayErrorMs() == null ? "" : format(" ± %.1f", f.delayErrorMs()),
        f.delaySource().description(),
        f.loss() * 100);
  }

  private static String priced(Facts f) {
    MicroDenarii charge = f.lines().charge();
    String price =
        "%s den/vu x %s vu = %s den"
            .formatted(number(f.pricePerUnit()), number(f.units()), denarii(charge));
    if (rounded(f.pricePerUnit() * f.units()).compareTo(charge) <= 0) {
      return price;
    }
    return rounded(f.received()).compareTo(charge) <= 0
        ? price + " (limited to the utility received)"
        : price + " (limited by the cap of a flow)";
  }

  private static String saved(Facts f) {
    String saved =
        f.postBytes() < f.preBytes()
            ? "; %d of %d bytes saved".formatted(f.preBytes() - f.postBytes(), f.preBytes())
            : "; no bytes saved";
    return saved + line(", discount ", f.lines().discount());
  }

  private static String fees(BillLines lines) {
    return line("; access fee ", lines.accessFee()) + line("; surcharge ", lines.surcharge());
  }

  private static String refund(Facts f) {
    BrokenPromise broken = f.broken();
    if (broken == null) {
      return "";
    }
    String promise =
        switch (broken.promise()) {
          case DELAY ->
              format(
                  "; delay %.1f ms instead of at most %.1f ms",
                  broken.measured(), broken.promised());
          case THROUGHPUT ->
              format(
                  "; %.1f kbit/s instead of at least %.1f kbit/s",
                  broken.measured(), broken.promised());
        };
    return promise + line(", refund ", f.lines().refund());
  }

  private static String line(String words, MicroDenarii amount) {
    return amount.isZero() ? "" : words + denarii(amount) + " den";
  }

  // A product far above every charge needs no exact comparison.
  private static MicroDenarii rounded(double denarii) {
    return Rounding.ofDenarii(Math.min(denarii, 1e9));
  }

  private static String denarii(MicroDenarii amount) {
    return "%d.%06d".formatted(amount.value() / 1_000_000, amount.value() % 1_000_000);
  }

  private static String number(double value) {
    return format("%.6g", value);
  }

  private static String format(String words, @Nullable Object... values) {
    return String.format(Locale.ROOT, words, values);
  }
}
