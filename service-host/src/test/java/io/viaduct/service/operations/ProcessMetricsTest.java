package io.viaduct.service.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class ProcessMetricsTest {
  private static final int BYTES = 10_000_000;

  @Test
  void whatALoopAllocatesIsCountedAndWhatOthersDoIsNot() throws Exception {
    try (ExecutorService loop = Executors.newSingleThreadExecutor();
        ExecutorService other = Executors.newSingleThreadExecutor();
        ProcessMetrics metrics = new ProcessMetrics("test", ProcessMetricsTest.class)) {
      metrics.allocatedBy(List.of(loop));
      collectGarbage();
      Future<byte[]> counted = loop.submit(() -> new byte[BYTES]);
      Future<byte[]> uncounted = other.submit(() -> new byte[2 * BYTES]);
      assertThat(counted.get().length + uncounted.get().length).isEqualTo(3 * BYTES);
      assertThat(metrics.registry().get("viaduct.loops.allocated").functionCounter().count())
          .isBetween((double) BYTES, 2.0 * BYTES);
    }
  }

  /// A registry refers weakly to what it counts.
  private static void collectGarbage() {
    var sign = new WeakReference<>(new Object());
    while (sign.get() != null) {
      System.gc();
    }
  }
}
