package io.viaduct.billing.preview;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.ClassTariff;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Prints the bill of a day on two networks, under the tariff and under the rule of the seed with
/// the same curves, as Markdown.
final class DayTable {
  private final StringBuilder text = new StringBuilder();

  private DayTable() {}

  /// Returns the tables.
  ///
  /// @param seed number from which the day is generated
  static String of(long seed, Tariff tariff) {
    DayTable tables = new DayTable();
    for (Network network : List.of(Network.GOOD, Network.POOR)) {
      List<OrdinaryDay.Report> reports = OrdinaryDay.reports(seed, network);
      tables.add(network, DayBill.of(reports, measured(tariff)), DayBill.of(reports, tariff));
    }
    return tables.text.toString();
  }

  // The rule of the seed: every class at the measured point, and nothing beside the price.
  private static Tariff measured(Tariff tariff) {
    Map<ServiceClass, ClassTariff> classes = new EnumMap<>(ServiceClass.class);
    tariff.classes().forEach((name, curve) -> classes.put(name, curve.at(OperatingPoint.MEASURED)));
    return new Tariff(
        classes,
        tariff.applications(),
        tariff.discount(),
        Map.of(),
        Map.of(),
        Map.of(),
        tariff.creditFailure(),
        tariff.providerFee(),
        tariff.relayShare());
  }

  private void add(Network network, DayBill measured, DayBill offered) {
    line(
        "%s network: %.0f kbit/s, %.0f ms, loss %.0f %%",
        network.name(), network.rateKbitPerSecond(), network.delayMs(), network.loss() * 100);
    line("");
    line("| activity | MB | measured | offered | fees | refund | to pay |");
    line("|---|--:|--:|--:|--:|--:|--:|");
    for (Activity activity : Activity.values()) {
      row(
          activity.words(),
          offered.bytes().getOrDefault(activity, 0L),
          measured.of(activity),
          offered.of(activity));
    }
    MicroDenarii net = offered.whole().net();
    line("| above the caps | | | | | | %s |", denarii(offered.givenBack().negated()));
    line(
        "| **day** | %s | %s | %s | %s | %s | **%s** |",
        megabytes(offered.bytes().values().stream().mapToLong(Long::longValue).sum()),
        denarii(price(measured.whole())),
        denarii(price(offered.whole())),
        denarii(fees(offered.whole())),
        denarii(offered.whole().refund().negated()),
        denarii(net.minus(offered.givenBack())));
    line("");
  }

  private void row(String words, long bytes, BillLines measured, BillLines offered) {
    line(
        "| %s | %s | %s | %s | %s | %s | %s |",
        words,
        megabytes(bytes),
        denarii(price(measured)),
        denarii(price(offered)),
        denarii(fees(offered)),
        denarii(offered.refund().negated()),
        denarii(offered.net()));
  }

  private static MicroDenarii price(BillLines lines) {
    return lines.charge().minus(lines.discount());
  }

  private static MicroDenarii fees(BillLines lines) {
    return lines.accessFee().plus(lines.surcharge());
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / 1e6);
  }

  private static String denarii(MicroDenarii amount) {
    return String.format(Locale.ROOT, "%.2f", amount.value() / 1e6 + 0.0).replace("-0.00", "0.00");
  }

  private void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
