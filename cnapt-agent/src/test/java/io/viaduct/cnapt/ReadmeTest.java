package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.operations.ControlMeters;
import io.viaduct.cnapt.operations.EgressMeters;
import io.viaduct.cnapt.operations.HookMeters;
import io.viaduct.cnapt.operations.MobilityMeters;
import io.viaduct.cnapt.operations.OperatorMeters;
import io.viaduct.cnapt.operations.PathMeters;
import io.viaduct.cnapt.operations.PeerMeters;
import io.viaduct.cnapt.operations.TunnelMeters;
import io.viaduct.cnapt.signalling.SignallingStatus.Probes;
import io.viaduct.cnapt.tunnel.Carried;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.operations.MetricNames;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.tls.CertificateMeters;
import io.viaduct.service.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Compares the README with the code.
class ReadmeTest {
  @TempDir Path folder;

  @Test
  void metricsOfTheAgentAreExactlyThoseOfTheReadme() throws Exception {
    OwnerLookup owners = new OwnerLookup();
    try (ProcessMetrics metrics = new ProcessMetrics("cnapt", Agent.class)) {
      // A data path needs a TUN device and a control client needs a SNAPT, but the metric names
      // need neither.
      metrics.allocatedBy(List.of());
      var authorities =
          new TrustedAuthorities(new TestAuthority(folder).trust(), InstantSource.system());
      CertificateMeters.trust(metrics.registry(), authorities::certificates);
      List<MeterBinder> meters =
          List.of(
              new TunnelMeters(new Carried(), null, owners),
              new MobilityMeters(new HandoverLog(), new CarrierLog(InstantSource.system())),
              new PathMeters(1, null),
              new ControlMeters(List.of()),
              new OperatorMeters(() -> Probes.NONE, null, null, null, null),
              new EgressMeters(null, null),
              new HookMeters(null),
              new PeerMeters(null, null),
              new PeerMeters.Listening(null));
      meters.forEach(each -> each.bindTo(metrics.registry()));
      Path file =
          Files.writeString(
              folder.resolve("cnapt.yml"),
              "device-key: k\ntrust: t\nsnapt: {host: relay.test}\ntoken-file: token\nstate: s\n");
      var source = AgentReload.source(file);
      var unused =
          new ConfigurationReload<>(
              source,
              ConfigurationKeys.of(source.read()),
              AgentReload.parts(null),
              metrics.registry(),
              InstantSource.system());
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
