package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.ControlFailure;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.tunnel.Carried;
import io.viaduct.cnapt.tunnel.Carried.Direction;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.function.ToDoubleFunction;

/// The agent's meters. They read counters that their owners keep anyway; nothing is done per
/// packet. Labels are enum values only.
public final class AgentMeters {
  private final MeterRegistry registry;

  /// @param registry of the process
  public AgentMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /// All of them.
  public void of(
      Carried carried,
      DataPath data,
      ControlClient control,
      ReceiptLedger receipts,
      HandoverLog handovers,
      CarrierLog carriers,
      OwnerLookup owners) {
    of(carried);
    of(data);
    of(control);
    of(receipts);
    total("viaduct.handovers", "Changes of network", handovers, HandoverLog::count);
    of(carriers);
    of(owners);
  }

  // Every fate of a packet, a datagram, a record; bytes by class before and after; the path.
  private void of(Carried carried) {
    for (Verdict verdict : Verdict.values()) {
      counter("viaduct.tunnel.verdicts", carried, c -> c.verdict(verdict))
          .description("Fates of datagrams, records and packets (docs/protocol.md)")
          .tag("subject", MetricLabel.of(verdict.subject()))
          .tag("verdict", MetricLabel.of(verdict))
          .register(registry);
    }
    for (Direction direction : Direction.values()) {
      for (ServiceClass each : ServiceClass.values()) {
        bytes("pre", direction, MetricLabel.of(each), carried, c -> c.preBytes(direction, each));
        bytes("post", direction, MetricLabel.of(each), carried, c -> c.postBytes(direction, each));
      }
      bytes("post", direction, "overhead", carried, c -> c.overheadBytes(direction));
    }
    Gauge.builder("viaduct.tunnel.paced", carried, Carried::pacedBitPerSecond)
        .description("Rate that datagrams are paced to, infinite without a limit")
        .baseUnit("bits_per_second")
        .register(registry);
    Gauge.builder("viaduct.path.mtu", carried, Carried::pathMtu)
        .description("Largest outer IP packets that leave now")
        .baseUnit("bytes")
        .register(registry);
    total(
        "viaduct.path.mtu.black.holes",
        "Times the size in use came through no more",
        carried,
        Carried::blackHoles);
  }

  // Back-pressure, what the kernel did not take, classes.
  private void of(DataPath data) {
    total(
        "viaduct.tun.pauses",
        "Times the TUN was not read, a queue was full",
        data,
        DataPath::pauses);
    total("viaduct.tun.not.written", "Packets the kernel did not take", data, DataPath::notWritten);
    total("viaduct.udp.refusals", "Bursts the kernel had no way for", data, DataPath::refusals);
    total("viaduct.udp.dropped.bursts", "Bursts given up", data, DataPath::droppedBursts);
    total("viaduct.flows.classified", "Flows that got a class", data, DataPath::classified);
    total(
        "viaduct.flows.reclassified",
        "Flows whose process gave another class",
        data,
        DataPath::reclassified);
    Gauge.builder("viaduct.timer.lateness", data, DataPath::timerLateness)
        .description("What 98 of 100 timers of the event loop are late at most")
        .baseUnit("seconds")
        .register(registry);
  }

  // Why control connections failed or ended, and what SNAPTs refused.
  private void of(ControlClient control) {
    for (ControlFailure why : ControlFailure.values()) {
      counter("viaduct.control.failures", control, c -> c.failures(why))
          .description("Control connections that failed or ended, by reason")
          .tag("reason", why.label())
          .register(registry);
    }
    for (RefusalCode code : RefusalCode.values()) {
      if (code != RefusalCode.UNRECOGNIZED) {
        counter("viaduct.control.refusals", control, c -> c.refusals(code))
            .description("Refusals by a SNAPT, by code")
            .tag("code", MetricLabel.of(code))
            .register(registry);
      }
    }
  }

  // What SNAPTs asked to be signed.
  private void of(ReceiptLedger receipts) {
    for (ReceiptLedger.Outcome outcome : ReceiptLedger.Outcome.values()) {
      counter("viaduct.receipts", receipts, r -> r.of(outcome))
          .description("Intervals that were asked to be signed, by outcome")
          .tag("outcome", MetricLabel.of(outcome))
          .register(registry);
    }
    Gauge.builder("viaduct.receipts.owed", receipts, ReceiptLedger::owed)
        .description("Intervals that wait for packets under way before they are answered")
        .register(registry);
  }

  // Changes between UDP and the control connection.
  private void of(CarrierLog carriers) {
    for (Carrier to : Carrier.values()) {
      counter("viaduct.carrier.changes", carriers, c -> c.count(to))
          .description("Changes of what carries datagrams")
          .tag("to", MetricLabel.of(to))
          .register(registry);
    }
  }

  // Owners of flows.
  private void of(OwnerLookup owners) {
    total(
        "viaduct.owners.skipped",
        "Flows whose process was not looked for",
        owners,
        OwnerLookup::skipped);
    total(
        "viaduct.owners.unknown",
        "Flows whose process was not found",
        owners,
        OwnerLookup::unknown);
  }

  private void bytes(
      String what,
      Direction direction,
      String of,
      Carried carried,
      ToDoubleFunction<Carried> count) {
    counter("viaduct.tunnel." + what + ".bytes", carried, count)
        .description("Inner (pre) and outer (post) IP bytes by class")
        .baseUnit("bytes")
        .tag("direction", MetricLabel.of(direction))
        .tag("class", of)
        .register(registry);
  }

  private <T> void total(String name, String words, T owner, ToDoubleFunction<T> count) {
    counter(name, owner, count).description(words).register(registry);
  }

  private static <T> FunctionCounter.Builder<T> counter(
      String name, T owner, ToDoubleFunction<T> count) {
    return FunctionCounter.builder(name, owner, count);
  }
}
