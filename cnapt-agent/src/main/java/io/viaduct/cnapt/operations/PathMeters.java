package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.viaduct.cnapt.policy.PathState;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.tunnel.DataCounters;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// The meters of the paths. Paths have few numbers, so a number is a label. A path that does not
/// exist has no value (NaN). [PathLinks] names their links.
///
/// @param snapts largest number of SNAPTs that are used at a time
public record PathMeters(int snapts, DataCounters data) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    if (registry instanceof PrometheusMeterRegistry prometheus) {
      prometheus.getPrometheusRegistry().register(PathLinks.of(snapts, data));
    }
    MetersOf<DataCounters> meters = new MetersOf<>(registry, data);
    for (int snapt = 0; snapt < snapts; snapt++) {
      for (int path = 0; path < TunnelLimits.PATHS_MAX; path++) {
        new OfPath(meters, snapt, path).register();
      }
    }
  }

  /// The meters of one path.
  ///
  /// @param snapt place of its SNAPT among those in use
  private record OfPath(MetersOf<DataCounters> meters, int snapt, int path) {
    void register() {
      gauge("viaduct_path_rtt", "seconds", "Smoothed round trip", of -> seconds(of.delayMs()));
      gauge(
          "viaduct_path_usual_rtt",
          "seconds",
          "Round trip of about the last minute",
          of -> seconds(of.usualDelayMs()));
      gauge(
          "viaduct_path_loss_ratio",
          null,
          "Share of the device's bytes that was lost in about the last second",
          of -> of.lossPercent() / 100);
      gauge(
          "viaduct_path_down_loss_ratio",
          null,
          "Share of the SNAPT's bytes that was lost in about the last second",
          of -> of.downLossPercent() / 100);
      gauge(
          "viaduct_path_usual_loss_ratio",
          null,
          "Greater share of both directions that was lost in about the last ten seconds",
          of -> of.usualLossPercent() / 100);
      gauge(
          "viaduct_path_sent",
          "bits_per_second",
          "Rate of sent datagrams",
          PathStatus::sentBitPerSecond);
      gauge(
          "viaduct_path_spare",
          "bits_per_second",
          "Rate that the path could carry in addition; NaN while it was never full",
          of -> rate(of.spareBitPerSecond()));
      gauge(
          "viaduct_path_packet_max",
          "bytes",
          "Size of the largest outer IP packet that leaves by the path now",
          PathStatus::pathMtu);
      gauge(
          "viaduct_path_clock_offset",
          "seconds",
          "The SNAPT's clock minus the device's, as this path has measured it",
          of -> seconds(of.clockOffsetMs()));
      gauge(
          "viaduct_path_delay_error",
          "seconds",
          "Bound on the error of a one-way delay by that offset: half the round trip",
          of -> seconds(of.delayErrorMs()));
      gauge(
          "viaduct_path_probes_sent",
          null,
          "Probes of the path since its session began",
          of -> of.probes().sent());
      gauge(
          "viaduct_path_probes_answered",
          null,
          "Probes of the path that were answered since its session began",
          of -> of.probes().answered());
      gauge(
          "viaduct_path_used",
          null,
          "1 if packets may leave by the path, 0.5 for a spare",
          of -> of.use().equals("yes") ? 1 : of.use().equals("spare") ? 0.5 : 0);
      for (PathState state : PathState.values()) {
        String label = MetricLabel.of(state);
        gauge(
            "viaduct_path_state",
            null,
            "1 for the present state of the path, 0 for the others",
            tags().and("state", label),
            of -> of.state().equals(label) ? 1 : 0);
      }
    }

    private static double seconds(@Nullable Double milliseconds) {
      return milliseconds == null ? Double.NaN : milliseconds / 1000;
    }

    private static double rate(long bitPerSecond) {
      return bitPerSecond >= PathStatus.UNKNOWN_RATE ? Double.NaN : bitPerSecond;
    }

    private Tags tags() {
      return Tags.of("snapt", String.valueOf(snapt), "path", String.valueOf(path));
    }

    private void gauge(
        String name,
        @Nullable String unit,
        String description,
        ToDoubleFunction<PathStatus> value) {
      gauge(name, unit, description, tags(), value);
    }

    private void gauge(
        String name,
        @Nullable String unit,
        String description,
        Tags tags,
        ToDoubleFunction<PathStatus> value) {
      meters.gauge(
          name,
          unit,
          description,
          tags,
          data -> {
            PathStatus of = data.path(snapt, path);
            return of == null ? Double.NaN : value.applyAsDouble(of);
          });
    }
  }
}
