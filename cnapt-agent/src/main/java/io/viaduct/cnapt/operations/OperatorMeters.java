package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.cnapt.control.BridgeDirectory;
import io.viaduct.cnapt.operations.MetersOf.Label;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.signalling.SignallingStatus.Probes;
import io.viaduct.cnapt.usage.DeviceReports;
import io.viaduct.service.clock.PeerClock;
import io.viaduct.service.operations.MetricLabel;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// The meters of a device's dealings with its operator: the way to the bridge, the directory that
/// the bridge signs, and the accounts of usage.
///
/// @param probes returns the present state of the SIP probes, which measure the way to the bridge
/// @param clock the device's clock, compared with the bridge's
public record OperatorMeters(
    Supplier<Probes> probes,
    PeerClock clock,
    BridgeDirectory directory,
    ReceiptLedger receipts,
    DeviceReports reports)
    implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    probes(registry);
    new MetersOf<>(registry, clock)
        .gauge(
            PeerClock.METRIC,
            "seconds",
            "This machine's clock minus the bridge's",
            PeerClock::aheadSeconds);
    new MetersOf<>(registry, directory)
        .totals(
            "viaduct_directories_refused",
            "Directories of SNAPTs, signed by the bridge, that were refused, by reason",
            Label.of("reason", BridgeDirectory.Refusal.values(), BridgeDirectory.Refusal::label),
            BridgeDirectory::refused);
    receipts(new MetersOf<>(registry, receipts));
    reports(new MetersOf<>(registry, reports));
  }

  private void probes(MeterRegistry registry) {
    MetersOf<Supplier<Probes>> meters = new MetersOf<>(registry, probes);
    meters.gauge(
        "viaduct_sip_rtt",
        "seconds",
        "Round trip of SIP probes, mean of about 4",
        now(p -> seconds(p.roundTripMs())));
    meters.gauge(
        "viaduct_sip_usual_rtt",
        "seconds",
        "Round trip of SIP probes, mean of about 16",
        now(p -> seconds(p.usualRoundTripMs())));
    meters.gauge(
        "viaduct_sip_loss_ratio",
        null,
        "SIP probes without an answer, mean of about 4",
        now(p -> ratio(p.lossPercent())));
    meters.gauge(
        "viaduct_sip_usual_loss_ratio",
        null,
        "SIP probes without an answer, mean of about 16",
        now(p -> ratio(p.usualLossPercent())));
    meters.gauge(
        "viaduct_sip_measured_ago",
        "seconds",
        "Time since the last answer to a SIP probe",
        now(p -> p.agoMs() == null ? Double.NaN : p.agoMs() / 1000.0));
    meters.gauge(
        "viaduct_sip_alone",
        null,
        "1 if SIP probes are answered although no control connection has stood for 10 s",
        now(p -> p.isAlone() ? 1 : 0));
    meters.total("viaduct_sip_probes", "SIP probes that were sent", now(Probes::sent));
    meters.total(
        "viaduct_sip_probes_answered", "SIP probes that were answered", now(Probes::answered));
  }

  private static ToDoubleFunction<Supplier<Probes>> now(ToDoubleFunction<Probes> value) {
    return probes -> value.applyAsDouble(probes.get());
  }

  private static double seconds(@Nullable Double milliseconds) {
    return milliseconds == null ? Double.NaN : milliseconds / 1000;
  }

  private static double ratio(@Nullable Double percent) {
    return percent == null ? Double.NaN : percent / 100;
  }

  private static void receipts(MetersOf<ReceiptLedger> meters) {
    meters.totals(
        "viaduct_receipts",
        "Requests for receipts, by outcome",
        Label.of("outcome", ReceiptLedger.Outcome.values(), MetricLabel::of),
        ReceiptLedger::of);
    meters.gauge(
        "viaduct_receipts_owed",
        null,
        "Requests for receipts that wait for packets in flight",
        ReceiptLedger::owed);
  }

  private static void reports(MetersOf<DeviceReports> meters) {
    meters.totals(
        "viaduct_device_reports",
        "The device's own reports of usage, by fate",
        Label.of("fate", DeviceReports.Fate.values(), MetricLabel::of),
        DeviceReports::of);
    meters.gauge(
        "viaduct_device_reports_spooled",
        null,
        "The device's own reports that the bridge has not taken",
        DeviceReports::spooled);
  }
}
