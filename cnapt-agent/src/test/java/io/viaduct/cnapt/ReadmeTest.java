package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.operations.AgentMeters;
import io.viaduct.cnapt.tunnel.Carried;
import io.viaduct.service.operations.MetricNames;
import io.viaduct.service.operations.ProcessMetrics;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The README says what the code does.
class ReadmeTest {
  @Test
  void metricsOfTheAgentAreExactlyThoseOfTheReadme() throws Exception {
    OwnerLookup owners = new OwnerLookup();
    try (ProcessMetrics metrics = new ProcessMetrics("cnapt", Agent.class)) {
      // A data path needs a TUN device, a control client a SNAPT; names need neither.
      metrics.allocatedBy(List.of());
      new AgentMeters(metrics.registry())
          .of(
              new Carried(),
              null,
              null,
              null,
              new HandoverLog(),
              new CarrierLog(InstantSource.system()),
              owners);
      assertThat(MetricNames.registered(metrics))
          .isEqualTo(MetricNames.named(Path.of("README.md")));
      String scraped = MetricNames.afterCollection(metrics);
      assertThat(MetricNames.undescribed(scraped)).isEmpty();
      assertThat(MetricNames.misspelt(scraped)).isEmpty();
    } finally {
      owners.close();
    }
  }
}
