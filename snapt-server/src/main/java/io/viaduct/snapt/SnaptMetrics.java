package io.viaduct.snapt;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.snapt.relay.Drop;
import io.viaduct.snapt.relay.TrafficCounters;
import io.viaduct.snapt.relay.TrafficCounters.Direction;
import io.viaduct.snapt.relay.TrafficCounters.Measure;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.tunnel.history.HistoryEvent;
import io.viaduct.tunnel.history.HistoryMemory;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// The meters of the SNAPT. Those of the data path are each the sum over the event loops, read when
/// somebody looks; the packet path increments plain numbers.
final class SnaptMetrics {
  private final MeterRegistry registry;

  SnaptMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /// What shared histories hold, and what happens to them.
  void histories(List<HistoryMemory> loops) {
    for (HistoryEvent event : HistoryEvent.values()) {
      sum(
          loops,
          "viaduct.history.events",
          "What happened to histories",
          Tags.of("event", MetricLabel.of(event)),
          loop -> loop.events()[event.ordinal()]);
    }
    gauge(
        "viaduct.history.bytes",
        "Heap and native memory of histories",
        () -> loops.stream().mapToLong(HistoryMemory::heldBytes).sum());
  }

  void traffic(List<TrafficCounters> loops) {
    for (Verdict verdict : Verdict.values()) {
      sum(
          loops,
          "viaduct.tunnel.verdicts",
          "Fates of packets, datagrams and records",
          Tags.of("verdict", MetricLabel.of(verdict), "subject", MetricLabel.of(verdict.subject())),
          loop -> loop.of(verdict));
    }
    for (Drop reason : Drop.values()) {
      sum(
          loops,
          "viaduct.relay.drops",
          "Drops around the tunnel",
          Tags.of("reason", MetricLabel.of(reason)),
          loop -> loop.of(reason));
    }
    for (EgressRefusal reason : EgressRefusal.values()) {
      sum(
          loops,
          "viaduct.egress.refused",
          "Packets that devices may not send or get",
          Tags.of("reason", MetricLabel.of(reason)),
          loop -> loop.of(reason));
    }
    sum(
        loops,
        "viaduct.relay.handed.over",
        "Packets and datagrams that one event loop read for another",
        Tags.empty(),
        TrafficCounters::handedOver);
    for (Carrier carrier : Carrier.values()) {
      sum(
          loops,
          "viaduct.carrier.changes",
          "Changes of what carries a session's datagrams",
          Tags.of("to", MetricLabel.of(carrier)),
          loop -> loop.of(carrier));
    }
    for (Direction direction : Direction.values()) {
      for (Translated outcome : Translated.values()) {
        sum(
            loops,
            "viaduct.napt.packets",
            "Outcomes of the address translation",
            Tags.of("direction", MetricLabel.of(direction), "outcome", MetricLabel.of(outcome)),
            loop -> loop.of(direction, outcome));
      }
      sum(
          loops,
          "viaduct.tunnel.overhead.bytes",
          "Outer bytes of no flow",
          Tags.of("direction", MetricLabel.of(direction)),
          loop -> loop.overhead(direction));
      for (ServiceClass serviceClass : ServiceClass.values()) {
        traffic(loops, direction, serviceClass);
      }
    }
  }

  private void traffic(
      List<TrafficCounters> loops, Direction direction, ServiceClass serviceClass) {
    for (Measure measure : Measure.values()) {
      String name =
          switch (measure) {
            case PACKETS -> "viaduct.flow.packets";
            case PRE_BYTES -> "viaduct.flow.pre.bytes";
            case POST_BYTES -> "viaduct.flow.post.bytes";
          };
      sum(
          loops,
          name,
          "Packets, inner bytes (pre) and outer bytes (post) of flows",
          Tags.of("direction", MetricLabel.of(direction), "class", MetricLabel.of(serviceClass)),
          loop -> loop.of(direction, serviceClass, measure));
    }
  }

  /// What devices owe.
  void receipts(Receipts receipts) {
    gauge("viaduct.receipts.owed", "Reports of the spool that need a receipt", receipts::owed);
    counter(
        "viaduct.receipts.expired",
        "Reports forgotten without receipt 24 h after their interval",
        receipts.expired()::sum);
    counter(
        "viaduct.receipts.not.asked",
        "Boundaries not asked for, their device owes too many",
        receipts.notAsked()::sum);
  }

  void gauge(String name, String description, Supplier<Number> value) {
    Gauge.builder(name, value).description(description).register(registry);
  }

  void counter(String name, String description, Supplier<Number> value) {
    FunctionCounter.builder(name, value, supplier -> supplier.get().doubleValue())
        .description(description)
        .register(registry);
  }

  private <T> void sum(
      List<T> loops, String name, String description, Tags tags, ToLongFunction<T> value) {
    FunctionCounter.builder(name, loops, all -> all.stream().mapToLong(value).sum())
        .tags(tags)
        .description(description)
        .register(registry);
  }
}
