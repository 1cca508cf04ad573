package io.viaduct.service.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProcessMetricsTest {
  private static final int BYTES = 10_000_000;

  @Test
  void whatALoopAllocatesIsCountedAndWhatOthersDoIsNot() throws Exception {
    try (ExecutorService loop = Executors.newSingleThreadExecutor();
        ExecutorService other = Executors.newSingleThreadExecutor();
        ProcessMetrics metrics = new ProcessMetrics("test", ProcessMetricsTest.class)) {
      metrics.allocatedBy(List.of(loop));
      Garbage.collect();
      Future<byte[]> counted = loop.submit(() -> new byte[BYTES]);
      Future<byte[]> uncounted = other.submit(() -> new byte[2 * BYTES]);
      assertThat(counted.get().length + uncounted.get().length).isEqualTo(3 * BYTES);
      assertThat(metrics.registry().get("viaduct_loops_allocated").functionCounter().count())
          .isBetween((double) BYTES, 2.0 * BYTES);
    }
  }

  @Test
  void whatNobodyElseHoldsIsCountedAfterAGarbageCollection() {
    try (ProcessMetrics metrics = new ProcessMetrics("test", ProcessMetricsTest.class)) {
      FunctionCounter.builder("viaduct_test_counted", List.of(7L, 35L), ProcessMetricsTest::sum)
          .register(metrics.registry());
      Gauge.builder("viaduct_test_measured", new AtomicLong(42), AtomicLong::doubleValue)
          .register(metrics.registry());
      FunctionTimer.builder(
              "viaduct_test_timed",
              new AtomicLong(42),
              AtomicLong::get,
              AtomicLong::doubleValue,
              TimeUnit.SECONDS)
          .register(metrics.registry());
      String scraped = MetricNames.afterCollection(metrics);
      assertThat(MetricNames.value(scraped, "viaduct_test_counted_total ")).isEqualTo(42);
      assertThat(MetricNames.value(scraped, "viaduct_test_measured ")).isEqualTo(42);
      assertThat(MetricNames.value(scraped, "viaduct_test_timed_seconds_count ")).isEqualTo(42);
      assertThat(MetricNames.value(scraped, "viaduct_test_timed_seconds_sum ")).isEqualTo(42);
    }
  }

  @Test
  void metricsOfEveryProcessAreDescribedInLowerCase() {
    try (ProcessMetrics metrics = new ProcessMetrics("test", ProcessMetricsTest.class)) {
      metrics.allocatedBy(List.of());
      assertThat(MetricNames.undescribed(metrics.scrape())).isEmpty();
      assertThat(MetricNames.misspelt(metrics.scrape())).isEmpty();
      FunctionCounter.builder("viaduct_test_bad", this, _ -> 0)
          .tag("reason", "BAD_TAG")
          .register(metrics.registry());
      assertThat(MetricNames.undescribed(metrics.scrape()))
          .containsExactly("viaduct_test_bad_total");
      assertThat(MetricNames.misspelt(metrics.scrape()))
          .containsExactly("viaduct_test_bad_total{reason=\"BAD_TAG\"}");
    }
  }

  private static double sum(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).sum();
  }
}
