package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.AccessFee;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Terms;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The flows of one report with their prices. The result depends only on the measurements and the
/// terms.
///
/// @param flows in the order of the measurements
public record RatedReport(List<RatedFlow> flows) {
  /// The flows that are priced together: one application, in the class that carried it.
  private record Application(ServiceClass serviceClass, String name) {}

  /// Rates the flows of one account and session in one interval.
  ///
  /// @param measures the flows, in the order of their ids
  /// @param intervalMs length of the interval, milliseconds, >= 1
  public static RatedReport of(List<FlowMeasure> measures, long intervalMs, Terms terms) {
    Placement[] placements = placements(measures, intervalMs, terms);
    List<MicroDenarii> minuteFees = minuteFees(measures, intervalMs, terms);
    List<RatedFlow> rated = new ArrayList<>(measures.size());
    for (int i = 0; i < measures.size(); i++) {
      rated.add(RatedFlow.of(measures.get(i), placements[i], minuteFees.get(i), terms));
    }
    return new RatedReport(List.copyOf(rated));
  }

  private static Placement[] placements(List<FlowMeasure> measures, long intervalMs, Terms terms) {
    Map<Application, List<Integer>> applications = new LinkedHashMap<>();
    for (int i = 0; i < measures.size(); i++) {
      FlowMeasure flow = measures.get(i);
      applications
          .computeIfAbsent(
              new Application(flow.serviceClass(), flow.application()), _ -> new ArrayList<>())
          .add(i);
    }
    Placement[] placements = new Placement[measures.size()];
    applications.forEach((application, indices) -> {
      OperatingPoint point = terms.tariff().of(application.serviceClass()).point();
      List<Placement> placed =
          Placement.of(point, indices.stream().map(measures::get).toList(), intervalMs);
      for (int i = 0; i < placed.size(); i++) {
        placements[indices.get(i)] = placed.get(i);
      }
    });
    return placements;
  }

  // The fee is for the access of the whole session, so cutting a transfer into flows does not
  // multiply it.
  private static List<MicroDenarii> minuteFees(
      List<FlowMeasure> measures, long intervalMs, Terms terms) {
    double fee = terms.tariff().fee(AccessFee.PER_MINUTE) * (intervalMs / 60_000.0);
    return Apportionment.of(
        Rounding.ofDenarii(fee), measures.stream().mapToLong(FlowMeasure::feeBytes).toArray());
  }

  /// Returns the bill of the whole report.
  public BillLines lines() {
    return flows.stream().map(RatedFlow::lines).reduce(BillLines.NOTHING, BillLines::plus);
  }
}
