package io.viaduct.bridge.directory;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.service.logging.CapturedLog;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnaptMetersTest {
  @Test
  void aSnaptThatIsCountedAlreadyIsNotRegisteredAgain() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    InstantSource clock = InstantSource.fixed(Instant.EPOCH);
    SnaptDirectory directory = new SnaptDirectory(List.of(), Duration.ofSeconds(15), clock);
    SnaptMeters meters = new SnaptMeters(directory, new SnaptClaims(directory, clock), registry);
    try (CapturedLog said = CapturedLog.of("io.micrometer")) {
      meters.count("snapt-1");
      meters.count("snapt-2");
      meters.count("snapt-1");
      assertThat(said.lines("")).isEmpty();
    }
    assertThat(registry.find("viaduct_bridge_snapt_duplicates").functionCounters()).hasSize(2);
  }
}
