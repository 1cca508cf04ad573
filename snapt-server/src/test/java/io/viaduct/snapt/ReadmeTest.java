package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.operations.MetricNames;
import io.viaduct.service.tls.TlsSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Compares the README with the code.
class ReadmeTest {
  @TempDir Path folder;

  @Test
  void metricsOfTheSnaptAreExactlyThoseOfTheReadme() throws Exception {
    TestOperator operator = new TestOperator(folder.resolve("pki"));
    TlsSettings tls = operator.issue("snapt-1");
    Path file =
        Files.writeString(
            folder.resolve("snapt.yml"),
            """
            id: snapt-1
            state: %s
            tls: {certificate: %s, private-key: %s, trust: %s}
            control: {listen: 127.0.0.1, port: 0}
            portal-probe: {listen: 127.0.0.1, port: 0}
            data: {loops: 1}
            reporting: {bridge-host: localhost, report-key: %s, drain: 0s}
            """
                .formatted(
                    folder.resolve("state"),
                    tls.certificate(),
                    tls.privateKey(),
                    tls.trust(),
                    operator.reportKey()));
    try (Snapt snapt = new Snapt(ConfigurationFile.load(file, SnaptConfiguration.class))) {
      snapt.startControl(); // the data path would need a TUN device, but the metric names do not
      snapt.bindMetrics();
      var source = SnaptReload.source(file, InstantSource.system());
      var unused = snapt.reload(source, ConfigurationKeys.of(source.load()));
      assertThat(MetricNames.registered(snapt.metrics))
          .isEqualTo(MetricNames.named(Path.of("README.md")));
      String scraped = MetricNames.afterCollection(snapt.metrics);
      assertThat(MetricNames.undescribed(scraped)).isEmpty();
      assertThat(MetricNames.misspelt(scraped)).isEmpty();
      assertThat(MetricNames.value(scraped, "viaduct_sessions_max ")).isEqualTo(10_000);
      assertThat(MetricNames.value(scraped, "viaduct_control_connections_max ")).isEqualTo(20_000);
      assertThat(MetricNames.value(scraped, "viaduct_reports_pending_max ")).isEqualTo(200_000);
      assertThat(MetricNames.value(scraped, "viaduct_history_bytes_max ")).isEqualTo(67_108_864);
    }
  }
}
