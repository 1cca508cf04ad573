package io.viaduct.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.operations.Garbage;
import io.viaduct.service.operations.MetricNames;
import io.viaduct.service.tls.TlsMaterial;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Compares the metrics of the README with those of the code.
class ReadmeTest {
  @TempDir Path folder;

  @Test
  void metricsOfTheBridgeAreExactlyThoseOfTheReadme() throws Exception {
    try (BridgeRig rig = new BridgeRig(folder, 1, "")) {
      var unused =
          BridgeReload.of(
              BridgeReload.source(rig.file, rig.clock),
              ConfigurationKeys.of(rig.configuration),
              rig.bridge.parts());
      Garbage.collect();
      String scraped = rig.bridge.parts().getBean(PrometheusMeterRegistry.class).scrape();
      assertThat(MetricNames.registered(scraped))
          .isEqualTo(MetricNames.named(Path.of("README.md")));
      assertThat(MetricNames.undescribed(scraped)).isEmpty();
      assertThat(MetricNames.misspelt(scraped)).isEmpty();
      assertThat(MetricNames.value(scraped, "viaduct_bridge_snapts{state=\"unknown\"}"))
          .isEqualTo(2);
      assertThat(MetricNames.value(scraped, "viaduct_bridge_snapts{state=\"up\"}")).isZero();
      double expiry =
          TlsMaterial.load(rig.configuration.tls())
              .chain()
              .getFirst()
              .getNotAfter()
              .toInstant()
              .getEpochSecond();
      assertThat(
              MetricNames.value(
                  scraped, "viaduct_certificate_expiry_timestamp_seconds{certificate=\"own\"}"))
          .isEqualTo(expiry);
    }
  }
}
