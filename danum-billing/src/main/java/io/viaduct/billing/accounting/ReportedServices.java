package io.viaduct.billing.accounting;

import io.viaduct.diameter.accounting.ServiceFact;
import io.viaduct.diameter.accounting.ServiceUsage;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsageReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/// Sums up the flows of a report by class of service: one Service-Data-Container for each class
/// that carried something. Its Rating-Group is the number of the class, 1 to 4.
final class ReportedServices {
  private ReportedServices() {}

  /// @param sequence Local-Sequence-Number of the first container
  static List<ServiceUsage> of(UsageReport report, long sequence) {
    Map<ServiceClass, List<FlowUsage>> classes = new EnumMap<>(ServiceClass.class);
    for (FlowUsage flow : report.getFlowsList()) {
      classes.computeIfAbsent(flow.getServiceClass(), _ -> new ArrayList<>()).add(flow);
    }
    List<ServiceUsage> services = new ArrayList<>();
    classes.forEach((serviceClass, flows) ->
        services.add(service(report, sequence + services.size(), serviceClass, flows)));
    return services;
  }

  private static ServiceUsage service(
      UsageReport report, long sequence, ServiceClass serviceClass, List<FlowUsage> flows) {
    long up = sum(flows, flow -> flow.getUp().getPreBytes());
    long down = sum(flows, flow -> flow.getDown().getPreBytes());
    return new ServiceUsage(
        sequence,
        serviceClass.getNumber(),
        Instant.ofEpochMilli(report.getStartMs()),
        Instant.ofEpochMilli(report.getEndMs()),
        up,
        down,
        facts(report.getEndMs() - report.getStartMs(), serviceClass, flows, up, down));
  }

  private static Map<ServiceFact, String> facts(
      long ms, ServiceClass serviceClass, List<FlowUsage> flows, long up, long down) {
    Map<ServiceFact, String> facts = new EnumMap<>(ServiceFact.class);
    facts.put(ServiceFact.SERVICE_CLASS, serviceClass.name().replace('_', '&'));
    facts.put(ServiceFact.THROUGHPUT_UP, rate(up, ms));
    facts.put(ServiceFact.THROUGHPUT_DOWN, rate(down, ms));
    facts.put(
        ServiceFact.WIRE_OCTETS_UP, Long.toString(sum(flows, flow -> flow.getUp().getPostBytes())));
    facts.put(
        ServiceFact.WIRE_OCTETS_DOWN,
        Long.toString(sum(flows, flow -> flow.getDown().getPostBytes())));
    long packets = sum(flows, flow -> flow.getUp().getPackets() + flow.getDown().getPackets());
    long lost = sum(flows, flow -> lost(flow.getUp()) + lost(flow.getDown()));
    if (packets + lost > 0) {
      facts.put(ServiceFact.LOSS_PERCENT, decimal(100.0 * lost / (packets + lost)));
    }
    // By bytes, as the class is priced; what was only assumed is left out.
    List<FlowUsage> timed =
        flows.stream().filter(flow -> flow.getDelaySource() != DelaySource.MISSING).toList();
    double bytes = sum(timed, ReportedServices::bytes);
    if (bytes > 0) {
      double weighted = timed.stream().mapToDouble(flow -> flow.getDelayMs() * bytes(flow)).sum();
      facts.put(ServiceFact.DELAY_MS, decimal(weighted / bytes));
    }
    return facts;
  }

  private static long lost(DirectionUsage direction) {
    return direction.getLostPackets();
  }

  private static long bytes(FlowUsage flow) {
    return flow.getUp().getPreBytes() + flow.getDown().getPreBytes();
  }

  private static long sum(List<FlowUsage> flows, ToLongFunction<FlowUsage> part) {
    return flows.stream().mapToLong(part).sum();
  }

  private static String rate(long bytes, long ms) {
    return Long.toString(Math.round(bytes * 8_000.0 / Math.max(1, ms)));
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
