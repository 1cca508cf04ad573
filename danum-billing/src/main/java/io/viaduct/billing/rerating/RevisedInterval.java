package io.viaduct.billing.rerating;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.RatedFlow;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.rating.Rounding;
import io.viaduct.billing.settlement.ChargedReport;
import io.viaduct.billing.settlement.IntervalState;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Terms;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// An interval with the bill that counts and the one under the corrected tariff.
final class RevisedInterval {
  /// An interval as it is billed now.
  ///
  /// @param revision number of the bill that counts
  /// @param isLate true if its report came after the grace time
  /// @param tariffAtStart version of the tariff that was in force when it began
  /// @param report its flows with the bills that count
  record Billed(
      long id,
      String key,
      IntervalState state,
      int revision,
      boolean isLate,
      int tariffAtStart,
      ChargedReport report) {}

  private final Billed interval;
  private final RatedReport rated;
  private final @Nullable ServiceClass only;
  private final BillLines difference;

  private RevisedInterval(Billed interval, RatedReport rated, @Nullable ServiceClass only) {
    this.interval = interval;
    this.rated = rated;
    this.only = only;
    difference =
        IntStream.range(0, interval.report().flows().size())
            .mapToObj(this::lines)
            .reduce(BillLines.NOTHING, BillLines::plus)
            .minus(interval.report().posted());
  }

  /// Rates an interval again.
  ///
  /// @param terms the corrected tariff, with the surcharge of the interval
  /// @param only class whose flows get a new bill; null for all
  static RevisedInterval of(Billed interval, Terms terms, @Nullable ServiceClass only) {
    ChargedReport report = interval.report();
    return new RevisedInterval(
        interval, RatedReport.of(report.measures(), report.intervalMs(), terms), only);
  }

  Billed interval() {
    return interval;
  }

  int revision() {
    return interval.revision() + 1;
  }

  /// Returns true if a flow gets a new bill.
  boolean isRated(int flow) {
    return only == null || only == interval.report().flows().get(flow).measure().serviceClass();
  }

  RatedFlow rated(int flow) {
    return rated.flows().get(flow);
  }

  /// Returns the new bill of a flow.
  BillLines lines(int flow) {
    return isRated(flow)
        ? rated.flows().get(flow).lines()
        : interval.report().flows().get(flow).posted();
  }

  /// Returns the new bill of the interval.
  BillLines lines() {
    return interval.report().posted().plus(difference);
  }

  /// Returns true if the bill of a flow changes. Two flows may change by amounts that sum to 0.
  boolean isChanged() {
    return IntStream.range(0, interval.report().flows().size())
        .anyMatch(i -> !lines(i).equals(interval.report().flows().get(i).posted()));
  }

  /// Returns the transactions of the difference. What was settled is settled again, so that the
  /// provider has its share of the new charge.
  ///
  /// @param providerFee the provider's share of charges, 0..1
  List<LedgerTransaction> transactions(double providerFee) {
    LedgerTransaction.Billed billed =
        new LedgerTransaction.Billed(
            interval.id(),
            interval.key(),
            interval.report().account(),
            interval.report().owner(),
            difference);
    List<LedgerTransaction> transactions = new ArrayList<>();
    transactions.add(LedgerTransaction.rerating(billed, revision(), interval.isLate()));
    if (interval.state() == IntervalState.FINAL) {
      MicroDenarii before = interval.report().posted().charge();
      MicroDenarii fee =
          Rounding.share(before.plus(difference.charge()), providerFee)
              .minus(Rounding.share(before, providerFee));
      transactions.add(LedgerTransaction.resettlement(billed, revision(), fee));
    }
    return transactions;
  }
}
