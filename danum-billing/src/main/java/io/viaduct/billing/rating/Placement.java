package io.viaduct.billing.rating;

import io.viaduct.billing.tariff.OperatingPoint;
import java.util.List;

/// The place of a flow on the curve of its application: where it is priced, and which utility
/// bounds its charge. Throughputs are in kbit/s.
///
/// @param throughput x, what the flow itself carried
/// @param offered throughput whose slope is the price
/// @param served throughput whose utility bounds the charge
/// @param receivedMs time for which that utility was received, milliseconds
/// @param share the flow's part of that utility, 0..1
public record Placement(
    double throughput, double offered, double served, long receivedMs, double share) {

  /// Places the flows of one application in one report. The order of operations is part of the
  /// contract, as in [Price].
  ///
  /// @param application the flows, in the order of their ids
  /// @param intervalMs length of the report's interval, milliseconds, >= 1
  static List<Placement> of(OperatingPoint point, List<FlowMeasure> application, long intervalMs) {
    return switch (point) {
      case MEASURED -> application.stream().map(Placement::measured).toList();
      case OFFERED -> offered(application, intervalMs);
    };
  }

  private static Placement measured(FlowMeasure flow) {
    double x = flow.preBytes() * 8.0 / flow.durationMs();
    return new Placement(x, x, x, flow.durationMs(), 1.0);
  }

  private static List<Placement> offered(List<FlowMeasure> application, long intervalMs) {
    double served = 0.0;
    double room = 0.0;
    long bytes = 0;
    for (FlowMeasure flow : application) {
      served = served + flow.preBytes() * 8.0 / intervalMs;
      bytes += flow.preBytes();
      // The flows share what the path has left, so the largest room counts once.
      room = Math.max(room, flow.demand().roomKbitPerSecond());
    }
    double carried = served;
    double offered = served + room;
    double whole = bytes;
    return application.stream()
        .map(flow ->
            new Placement(
                flow.preBytes() * 8.0 / intervalMs,
                offered,
                carried,
                intervalMs,
                whole == 0.0 ? 0.0 : flow.preBytes() / whole))
        .toList();
  }
}
