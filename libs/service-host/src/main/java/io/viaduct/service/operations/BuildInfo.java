package io.viaduct.service.operations;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/// The service, its version and its Java version: the metric `viaduct_build_info`.
public final class BuildInfo {
  private BuildInfo() {}

  /// Registers the metric.
  ///
  /// @param service name of the process, such as `snapt`
  /// @param main a class of the process's own jar, whose manifest holds the version
  public static void bind(MeterRegistry registry, String service, Class<?> main) {
    // With an underscore, the Prometheus client would drop "_info" as a suffix of its own.
    Gauge.builder("viaduct_build.info", () -> 1)
        .description("Always 1; the labels name service and versions")
        .tag("service", service)
        .tag("version", ProcessMetrics.versionOf(main))
        .tag("java", Runtime.version().toString())
        .register(registry);
  }
}
