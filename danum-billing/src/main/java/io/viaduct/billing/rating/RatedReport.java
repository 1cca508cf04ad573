package io.viaduct.billing.rating;

import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// The flows of one report with their prices. The result depends only on the measurements and the
/// tariff.
///
/// @param flows in the order of the measurements
public record RatedReport(List<RatedFlow> flows) {
  /// The flows that are priced together: one application, in the class that carried it.
  private record Application(ServiceClass serviceClass, String name) {}

  /// Rates the flows of one account and session in one interval.
  ///
  /// @param measures the flows, in the order of their ids
  /// @param intervalMs length of the interval, milliseconds, >= 1
  public static RatedReport of(List<FlowMeasure> measures, long intervalMs, Tariff tariff) {
    Map<Application, List<Integer>> applications = new LinkedHashMap<>();
    for (int i = 0; i < measures.size(); i++) {
      FlowMeasure flow = measures.get(i);
      applications
          .computeIfAbsent(
              new Application(flow.serviceClass(), flow.application()), _ -> new ArrayList<>())
          .add(i);
    }
    RatedFlow[] rated = new RatedFlow[measures.size()];
    applications.forEach((application, places) -> {
      OperatingPoint point = tariff.of(application.serviceClass()).point();
      List<FlowMeasure> flows = places.stream().map(measures::get).toList();
      List<Placement> placements = Placement.of(point, flows, intervalMs);
      IntStream.range(0, flows.size())
          .forEach(
              i -> rated[places.get(i)] = RatedFlow.of(flows.get(i), placements.get(i), tariff));
    });
    return new RatedReport(List.of(rated));
  }
}
