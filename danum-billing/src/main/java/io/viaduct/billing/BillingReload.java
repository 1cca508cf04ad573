package io.viaduct.billing;

import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.reload.Reloading;
import io.viaduct.service.tls.CertificateCheck;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

/// Reads billing's configuration at the start and at SIGHUP. Defines the checks, and the keys that
/// a running billing applies.
final class BillingReload {
  private BillingReload() {}

  /// Returns the source of the configuration. It also checks the certificates that the
  /// configuration names.
  static ConfigurationSource<BillingConfiguration> source(Path file, InstantSource clock) {
    return ConfigurationSource.of(
        file,
        BillingConfiguration.class,
        configuration -> CertificateCheck.of(configuration.tls(), clock.instant()));
  }

  /// Returns the keys that a running billing applies. All other keys need a restart.
  static List<Reloading<BillingConfiguration>> parts(BillingService billing, InstantSource clock) {
    return List.of(
        new Reloading<>(
            List.of("tls"),
            next ->
                billing.tls().prepare(CertificateCheck.of(next.tls(), clock.instant()).material())),
        new Reloading<>(
            List.of("logging.level"), next -> () -> BillingCommand.level(next.logging().level())),
        // The import is last, because it may be refused itself. It runs each time, because the
        // file's content may have changed.
        new Reloading<>(
            true,
            List.of("imports.subscribers"),
            next -> {
              billing.importSubscribers(next.imports());
              return () -> {};
            }));
  }
}
