package io.viaduct.snapt;

import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.logging.ProcessLogging;
import io.viaduct.service.reload.Reloading;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.Ed25519;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

/// Reads the configuration at the start and at SIGHUP: checks it, and applies the keys that a
/// running SNAPT can change.
final class SnaptReload {
  private SnaptReload() {}

  /// Returns the source of the configuration. It rejects settings with which every device or the
  /// bridge would reject this SNAPT.
  static ConfigurationSource<SnaptConfiguration> source(Path file, InstantSource clock) {
    return ConfigurationSource.of(
        file,
        SnaptConfiguration.class,
        configuration -> {
          CertificateCheck unused = certificate(configuration, clock);
          Ed25519.readPair(configuration.reporting().reportKey());
        });
  }

  /// Returns the keys that a running SNAPT can change. All other keys take effect at the next
  /// start.
  static List<Reloading<SnaptConfiguration>> parts(Snapt snapt, InstantSource clock) {
    return List.of(
        new Reloading<>(
            List.of("tls"), next -> snapt.tls().prepare(certificate(next, clock).material())),
        new Reloading<>(
            List.of("logging.level"), next -> () -> ProcessLogging.level(next.logging().level())));
  }

  private static CertificateCheck certificate(
      SnaptConfiguration configuration, InstantSource clock) {
    return CertificateCheck.of(configuration.tls(), clock.instant())
        .commonName("id", configuration.id())
        .host("control.host", configuration.control().host());
  }
}
