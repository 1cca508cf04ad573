package io.viaduct.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.rest.RestInterface;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.operations.MetricNames;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.tls.TlsMaterial;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Compares the metrics of the README with those of the code.
class ReadmeTest {
  @TempDir Path folder;

  @Test
  void metricsOfTheBridgeAreExactlyThoseOfTheReadme() throws Exception {
    try (BridgeRig rig = new BridgeRig(folder, 1, "");
        ProcessMetrics metrics = new ProcessMetrics("ims-bridge", Bridge.class);
        Bridge bridge =
            Bridge.start(rig.configuration, rig.clock, metrics.registry(), new Readiness());
        var rest =
            RestInterface.start(rig.configuration.rest(), bridge, rig.clock, metrics.registry())) {
      assertThat(rest.isRunning()).isTrue();
      var unused =
          new ConfigurationReload<>(
              BridgeReload.source(rig.file, rig.clock),
              ConfigurationKeys.of(rig.configuration),
              BridgeReload.parts(bridge, rig.clock),
              metrics.registry(),
              rig.clock);
      assertThat(MetricNames.registered(metrics))
          .isEqualTo(MetricNames.named(Path.of("README.md")));
      String scraped = MetricNames.afterCollection(metrics);
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
