package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.control.BridgeDirectory;
import io.viaduct.cnapt.hook.RoutingHook;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.mobility.StrayRoutes;
import io.viaduct.cnapt.naming.PortalNames;
import io.viaduct.cnapt.operations.AgentMeters;
import io.viaduct.cnapt.peer.PeerServer;
import io.viaduct.cnapt.tunnel.Carried;
import io.viaduct.cnapt.usage.DeviceReports;
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
      AgentMeters meters = new AgentMeters(metrics.registry());
      meters.of(
          new Carried(),
          null,
          null,
          null,
          new HandoverLog(),
          new CarrierLog(InstantSource.system()),
          owners);
      meters.paths(1, null);
      meters.ofPeer(null, null);
      meters.of((PeerServer) null);
      meters.of((RoutingHook) null);
      meters.of((BridgeDirectory) null);
      meters.of((PortalNames) null);
      meters.of((StrayRoutes) null);
      meters.of((DeviceReports) null);
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
