package io.viaduct.cnapt.operations;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.tunnel.DataCounters;
import io.viaduct.tunnel.terms.TunnelLimits;
import org.jspecify.annotations.Nullable;

/// The metric `viaduct_path_link`: the link of each path as a label. The number of a path is given
/// to another link when its own is gone, so the label changes while the agent runs, which no meter
/// of Micrometer can do.
///
/// @param snapts largest number of SNAPTs that are used at a time
record PathLinks(int snapts, Statuses statuses) implements Collector {
  /// Returns the status of a path, as [DataCounters#path].
  interface Statuses {
    @Nullable PathStatus of(int snapt, int path);
  }

  private static final String NAME = "viaduct_path_link";

  /// @param data null if there is no data path
  static PathLinks of(int snapts, @Nullable DataCounters data) {
    return new PathLinks(snapts, data == null ? (_, _) -> null : data::path);
  }

  @Override
  public MetricSnapshot collect() {
    GaugeSnapshot.Builder links =
        GaugeSnapshot.builder()
            .name(NAME)
            .help(
                "1 with the name of the path's link as a label, 0 for a path that does not exist");
    for (int snapt = 0; snapt < snapts; snapt++) {
      for (int path = 0; path < TunnelLimits.PATHS_MAX; path++) {
        PathStatus status = statuses.of(snapt, path);
        links.dataPoint(point(snapt, path, status == null ? "" : status.link()));
      }
    }
    return links.build();
  }

  private static GaugeDataPointSnapshot point(int snapt, int path, String link) {
    return GaugeDataPointSnapshot.builder()
        .labels(
            Labels.of("snapt", String.valueOf(snapt), "path", String.valueOf(path), "link", link))
        .value(link.isEmpty() ? 0 : 1)
        .build();
  }

  @Override
  public String getPrometheusName() {
    return NAME;
  }
}
