package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.operations.MetersOf.Label;
import io.viaduct.cnapt.tunnel.Carried;
import io.viaduct.cnapt.tunnel.Carried.Direction;
import io.viaduct.cnapt.tunnel.DataCounters;
import io.viaduct.cnapt.tunnel.FlowRefusal;
import io.viaduct.cnapt.tunnel.Placement;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.function.ToDoubleFunction;

/// The meters of the data path: what it carries, what the kernel refuses, and where flows go.
///
/// @param owners finds the processes of flows
public record TunnelMeters(Carried carried, DataCounters data, OwnerLookup owners)
    implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    carried(new MetersOf<>(registry, carried));
    kernel(new MetersOf<>(registry, data));
    flows(new MetersOf<>(registry, data));
    owners(new MetersOf<>(registry, owners));
  }

  private static void carried(MetersOf<Carried> meters) {
    for (Verdict verdict : Verdict.values()) {
      meters.total(
          "viaduct_tunnel_verdicts",
          null,
          "Datagrams, records and packets by verdict (docs/protocol.md)",
          Tags.of("subject", MetricLabel.of(verdict.subject()), "verdict", MetricLabel.of(verdict)),
          c -> c.verdict(verdict));
    }
    for (Direction direction : Direction.values()) {
      for (ServiceClass each : ServiceClass.values()) {
        String label = MetricLabel.of(each);
        bytes(meters, "pre", direction, label, c -> c.preBytes(direction, each));
        bytes(meters, "post", direction, label, c -> c.postBytes(direction, each));
      }
      bytes(meters, "post", direction, "overhead", c -> c.overheadBytes(direction));
    }
    meters.gauge(
        "viaduct_tunnel_paced",
        "bits_per_second",
        "Pacing rate of datagrams, infinite without a limit",
        Carried::pacedBitPerSecond);
    meters.gauge(
        "viaduct_path_mtu",
        "bytes",
        "Size of the largest outer IP packet that is sent now",
        Carried::pathMtu);
    meters.total(
        "viaduct_path_mtu_black_holes",
        "Times that packets of the size in use were no longer delivered",
        Carried::blackHoles);
  }

  private static void bytes(
      MetersOf<Carried> meters,
      String side,
      Direction direction,
      String serviceClass,
      ToDoubleFunction<Carried> count) {
    meters.total(
        "viaduct_tunnel_" + side + "_bytes",
        "bytes",
        "Inner (pre) and outer (post) IP bytes by class",
        Tags.of("direction", MetricLabel.of(direction), "class", serviceClass),
        count);
  }

  private static void kernel(MetersOf<DataCounters> meters) {
    meters.total(
        "viaduct_tun_pauses",
        "Times that the TUN was not read because a queue was full",
        DataCounters::pauses);
    meters.total(
        "viaduct_tun_foreign_sources",
        "Packets that were not carried: this host does not have their source in the tunnel",
        DataCounters::foreign);
    meters.total(
        "viaduct_tun_not_written",
        "Packets that the kernel did not accept",
        DataCounters::notWritten);
    meters.total(
        "viaduct_udp_refusals", "Bursts without a route in the kernel", DataCounters::refusals);
    meters.total(
        "viaduct_udp_dropped_bursts",
        "Bursts that were dropped because they waited too long",
        DataCounters::droppedBursts);
    meters.gauge(
        "viaduct_timer_lateness",
        "seconds",
        "98th percentile of the timer lateness of the event loop",
        DataCounters::timerLateness);
  }

  private static void flows(MetersOf<DataCounters> meters) {
    meters.total("viaduct_flows_classified", "Flows that got a class", DataCounters::classified);
    meters.total(
        "viaduct_flows_reclassified",
        "Flows whose process gave another class",
        DataCounters::reclassified);
    meters.total(
        "viaduct_snapt_silences",
        "Times that nothing came from a SNAPT, while there are several",
        DataCounters::silences);
    meters.totals(
        "viaduct_flows_refused",
        "Flows that this device has refused or reset, by reason",
        Label.of("reason", FlowRefusal.values(), MetricLabel::of),
        DataCounters::refused);
    meters.totals(
        "viaduct_flows_placed",
        "New flows while there are several SNAPTs, by the reason for the SNAPT",
        Label.of("reason", Placement.values(), MetricLabel::of),
        DataCounters::placed);
  }

  private static void owners(MetersOf<OwnerLookup> meters) {
    meters.total(
        "viaduct_owners_skipped", "Flows whose process was not searched", OwnerLookup::skipped);
    meters.total(
        "viaduct_owners_unknown", "Flows whose process was not found", OwnerLookup::unknown);
  }
}
