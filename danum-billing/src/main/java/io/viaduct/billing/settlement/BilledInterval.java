package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.RatedFlow;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.util.List;

/// A rated interval that is about to be stored. The store assigns its ids, once.
final class BilledInterval {
  private final MeasuredInterval report;
  private final TariffVersion tariff;
  private final String owner;
  private final Instant graceEndsAt;
  private final List<RatedFlow> flows;
  private final MicroDenarii charge;
  private final MicroDenarii discount;
  private long id;
  private List<Long> chargeIds = List.of();

  private BilledInterval(
      MeasuredInterval report, TariffVersion tariff, String owner, Instant graceEndsAt) {
    this.report = report;
    this.tariff = tariff;
    this.owner = owner;
    this.graceEndsAt = graceEndsAt;
    flows =
        RatedReport.of(
                report.flows().stream().map(MeasuredInterval.Flow::measure).toList(),
                report.lengthMs(),
                tariff.tariff())
            .flows();
    MicroDenarii charges = MicroDenarii.ZERO;
    MicroDenarii discounts = MicroDenarii.ZERO;
    for (RatedFlow rated : flows) {
      charges = charges.plus(rated.charge());
      discounts = discounts.plus(rated.discount());
    }
    charge = charges;
    discount = discounts;
  }

  /// Rates every flow under the version in force.
  static BilledInterval of(
      MeasuredInterval report, TariffVersion tariff, String owner, Instant graceEndsAt) {
    return new BilledInterval(report, tariff, owner, graceEndsAt);
  }

  void identify(long intervalId, List<Long> ids) {
    if (id != 0 || ids.size() != flows.size()) {
      throw new IllegalStateException("interval " + report.key().text() + " has its ids already");
    }
    id = intervalId;
    chargeIds = List.copyOf(ids);
  }

  MeasuredInterval report() {
    return report;
  }

  int tariffVersion() {
    return tariff.version();
  }

  String owner() {
    return owner;
  }

  Instant graceEndsAt() {
    return graceEndsAt;
  }

  /// Returns true if the report came after the grace time. Later transitions compare the same two
  /// times in the database.
  boolean isLate() {
    return !report.receivedAt().isBefore(graceEndsAt);
  }

  /// Returns the state in which the interval is stored first.
  IntervalState state() {
    if (!report.evidence().isSufficient()) {
      return IntervalState.PROVISIONAL;
    }
    return isLate() ? IntervalState.ADJUSTED : IntervalState.CORRECTED;
  }

  List<RatedFlow> flows() {
    return flows;
  }

  MicroDenarii charge() {
    return charge;
  }

  MicroDenarii discount() {
    return discount;
  }

  int skewedFlows() {
    return (int) flows.stream().filter(f -> f.delay().isSkewed()).count();
  }

  long id() {
    return id;
  }

  List<Long> chargeIds() {
    return chargeIds;
  }
}
