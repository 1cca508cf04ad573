package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.rating.RatedFlow;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.TermsInForce;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A rated interval that is about to be stored. The store assigns its ids, once.
final class BilledInterval {
  private final MeasuredInterval report;
  private final TermsInForce terms;
  private final String owner;
  private final Instant graceEndsAt;
  private final RatedReport rated;
  private final BillLines lines;
  private long id;
  private List<Long> chargeIds = List.of();

  private BilledInterval(
      MeasuredInterval report, TermsInForce terms, String owner, Instant graceEndsAt) {
    this.report = report;
    this.terms = terms;
    this.owner = owner;
    this.graceEndsAt = graceEndsAt;
    rated =
        RatedReport.of(
            report.flows().stream().map(MeasuredInterval.Flow::measure).toList(),
            report.lengthMs(),
            terms.terms());
    lines = rated.lines();
  }

  /// Rates every flow under the versions in force.
  static BilledInterval of(
      MeasuredInterval report, TermsInForce terms, String owner, Instant graceEndsAt) {
    return new BilledInterval(report, terms, owner, graceEndsAt);
  }

  void identify(long intervalId, List<Long> ids) {
    if (id != 0 || ids.size() != rated.flows().size()) {
      throw new IllegalStateException("interval " + report.key().text() + " has its ids already");
    }
    id = intervalId;
    chargeIds = List.copyOf(ids);
  }

  MeasuredInterval report() {
    return report;
  }

  int tariffVersion() {
    return terms.tariff().version();
  }

  /// Returns the version of the owner's surcharge, or null if there was none.
  @Nullable Integer surchargeVersion() {
    return terms.surcharge() == null ? null : terms.surcharge().version();
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
    if (report.evidence().strength() == Evidence.Strength.DEVICE_REPORT) {
      return IntervalState.FINAL_PROVISIONAL;
    }
    if (!report.evidence().isSufficient()) {
      return IntervalState.PROVISIONAL;
    }
    return isLate() ? IntervalState.ADJUSTED : IntervalState.CORRECTED;
  }

  List<RatedFlow> flows() {
    return rated.flows();
  }

  /// Returns true if a flow was priced at what the path offered.
  boolean isOffered(int index) {
    ServiceClass serviceClass = report.flows().get(index).measure().serviceClass();
    return terms.tariff().tariff().of(serviceClass).point() == OperatingPoint.OFFERED;
  }

  BillLines lines() {
    return lines;
  }

  int skewedFlows() {
    return (int) rated.flows().stream().filter(f -> f.delay().isSkewed()).count();
  }

  long id() {
    return id;
  }

  List<Long> chargeIds() {
    return chargeIds;
  }
}
