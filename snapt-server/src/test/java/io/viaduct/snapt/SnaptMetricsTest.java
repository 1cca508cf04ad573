package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.tunnel.history.Digestion;
import io.viaduct.tunnel.history.HistoryEvent;
import io.viaduct.tunnel.history.HistoryMemory;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnaptMetricsTest {
  @Test
  void eachEventOfHistoriesIsTheSumOverTheLoops() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (HistoryMemory one = new HistoryMemory(Digestion.INLINE, () -> 0, 1 << 20);
        HistoryMemory other = new HistoryMemory(Digestion.INLINE, () -> 0, 1 << 20)) {
      new SnaptMetrics(registry).histories(List.of(one, other));
      for (HistoryEvent event : HistoryEvent.values()) {
        one.events()[event.ordinal()] = 100 * event.ordinal();
        other.events()[event.ordinal()] = event.ordinal();
      }
      for (HistoryEvent event : HistoryEvent.values()) {
        String label = event.name().toLowerCase(java.util.Locale.ROOT);
        assertThat(
                registry
                    .get("viaduct.history.events")
                    .tag("event", label)
                    .functionCounter()
                    .count())
            .as(label)
            .isEqualTo(101 * event.ordinal());
      }
      assertThat(registry.get("viaduct.history.bytes").gauge().value()).isZero();
    }
  }
}
