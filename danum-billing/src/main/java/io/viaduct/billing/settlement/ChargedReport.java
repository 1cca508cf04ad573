package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.rating.FlowMeasure;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A report that was charged, with everything that its charges depend on.
///
/// @param account account that pays
/// @param owner owner of the SNAPT
/// @param tariffVersion version of the tariff; of the charge that was asked for, where flows have
///   different ones
/// @param surchargeVersion version of the owner's surcharge; null if there was none
/// @param start start of the interval
/// @param intervalMs length of the interval, milliseconds
/// @param flows the flows, in the order of their ids
public record ChargedReport(
    String account,
    String owner,
    int tariffVersion,
    @Nullable Integer surchargeVersion,
    Instant start,
    long intervalMs,
    List<Flow> flows) {
  /// A flow as it was charged.
  ///
  /// @param charge id of the charge
  /// @param id id of the flow in the report
  /// @param link the device's link that carried most of it; null if it is not known
  /// @param jitterMs as reported; null for charges of a version before
  /// @param measure what was measured
  /// @param posted the bill
  /// @param tariffVersion version of the tariff that made it. A re-rating of a class leaves those
  ///   of other classes
  public record Flow(
      long charge,
      long id,
      @Nullable String link,
      @Nullable Double jitterMs,
      FlowMeasure measure,
      BillLines posted,
      int tariffVersion) {}

  /// Returns the report with its flows.
  ChargedReport with(List<Flow> all) {
    return new ChargedReport(
        account, owner, tariffVersion, surchargeVersion, start, intervalMs, all);
  }

  /// Returns the measurements of all flows.
  public List<FlowMeasure> measures() {
    return flows.stream().map(Flow::measure).toList();
  }

  /// Returns the bill of the whole report.
  public BillLines posted() {
    return flows.stream().map(Flow::posted).reduce(BillLines.NOTHING, BillLines::plus);
  }

  /// Returns the flow with a charge.
  public Flow flow(long charge) {
    return flows.stream()
        .filter(flow -> flow.charge() == charge)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no charge " + charge + " in this report"));
  }
}
