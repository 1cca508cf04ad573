package io.viaduct.service.operations;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// A Prometheus registry that keeps strong references to the objects that its meters read.
///
/// Micrometer keeps weak references: a function counter over a list without another reference shows
/// 0 after the next garbage collection. The meters of a process live as long as the process, so
/// their objects must too.
public final class HoldingRegistry extends PrometheusMeterRegistry {
  private final Collection<Object> held = new ConcurrentLinkedQueue<>();

  HoldingRegistry() {
    super(PrometheusConfig.DEFAULT);
  }

  /// Creates the registry over a given registry of the Prometheus client.
  public HoldingRegistry(PrometheusConfig config, PrometheusRegistry registry, Clock clock) {
    super(config, registry, clock);
  }

  @Override
  protected <T> Gauge newGauge(Meter.Id id, @Nullable T read, ToDoubleFunction<T> value) {
    hold(read);
    return super.newGauge(id, read, value);
  }

  @Override
  protected <T> FunctionCounter newFunctionCounter(Meter.Id id, T read, ToDoubleFunction<T> value) {
    hold(read);
    return super.newFunctionCounter(id, read, value);
  }

  @Override
  protected <T> FunctionTimer newFunctionTimer(
      Meter.Id id, T read, ToLongFunction<T> count, ToDoubleFunction<T> total, TimeUnit unit) {
    hold(read);
    return super.newFunctionTimer(id, read, count, total, unit);
  }

  @Override
  protected <T> TimeGauge newTimeGauge(
      Meter.Id id, @Nullable T read, TimeUnit unit, ToDoubleFunction<T> value) {
    hold(read);
    return super.newTimeGauge(id, read, unit, value);
  }

  private void hold(@Nullable Object read) {
    if (read != null) { // a gauge may read no object
      held.add(read);
    }
  }
}
