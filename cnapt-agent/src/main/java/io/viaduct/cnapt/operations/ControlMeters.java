package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.ControlFailure;
import io.viaduct.cnapt.operations.MetersOf.Label;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.tunnel.control.v1.RefusalCode;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/// The meters of the control connections: failures and ends, refusals of the other ends, and
/// hand-overs.
public record ControlMeters(List<ControlClient> clients) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    MetersOf<List<ControlClient>> meters = new MetersOf<>(registry, clients);
    meters.totals(
        "viaduct_control_failures",
        "Control connections that failed or ended, by reason",
        Label.of("reason", ControlFailure.values(), ControlFailure::label),
        (all, why) -> sum(all, each -> each.counts().failures(why)));
    meters.totals(
        "viaduct_control_refusals",
        "Refusals by a SNAPT, by code",
        new Label<>("code", codes(), MetricLabel::of),
        (all, code) -> sum(all, each -> each.counts().refusals(code)));
    meters.total(
        "viaduct_relays_ignored",
        "Lists of a SNAPT that a newer one replaced, and SNAPTs that were not granted",
        all -> sum(all, ControlClient::relaysIgnored));
    meters.total(
        "viaduct_moves_refused",
        "Hand-overs to a SNAPT that the device may not use",
        all -> sum(all, each -> each.counts().movesRefused()));
    meters.total(
        "viaduct_moves_turned_back",
        "Hand-overs whose new SNAPT was lost before it had the session",
        all -> sum(all, each -> each.counts().movesTurnedBack()));
  }

  private static List<RefusalCode> codes() {
    return Arrays.stream(RefusalCode.values())
        .filter(each -> each != RefusalCode.UNRECOGNIZED)
        .toList();
  }

  private static long sum(List<ControlClient> clients, ToLongFunction<ControlClient> count) {
    return clients.stream().mapToLong(count).sum();
  }
}
