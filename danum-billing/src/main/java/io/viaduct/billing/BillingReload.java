package io.viaduct.billing;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.provisioning.SubscriberImport;
import io.viaduct.billing.snapts.SnaptsImport;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.reload.Reloading;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.spring.ServiceLogging;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.springframework.context.ApplicationContext;

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

  /// Returns the reload of a running billing.
  static ConfigurationReload<BillingConfiguration> of(
      ConfigurationSource<BillingConfiguration> source,
      ConfigurationKeys running,
      ApplicationContext billing) {
    return new ConfigurationReload<>(
        source,
        running,
        parts(billing),
        billing.getBean(MeterRegistry.class),
        billing.getBean(InstantSource.class));
  }

  /// Returns the keys that a running billing applies. All other keys need a restart.
  static List<Reloading<BillingConfiguration>> parts(ApplicationContext billing) {
    ExchangeableTls tls = billing.getBean(ExchangeableTls.class);
    SubscriberImport users = billing.getBean(SubscriberImport.class);
    SnaptsImport snapts = billing.getBean(SnaptsImport.class);
    InstantSource clock = billing.getBean(InstantSource.class);
    return List.of(
        new Reloading<>(
            List.of("tls"),
            next -> tls.prepare(CertificateCheck.of(next.tls(), clock.instant()).material())),
        new Reloading<>(
            List.of("logging.level"), next -> () -> ServiceLogging.level(next.logging().level())),
        // The import is last, because it may be refused itself. It runs each time, because the
        // file's content may have changed.
        new Reloading<>(
            true,
            List.of("imports.subscribers", "snapts"),
            next -> {
              users.importFrom(next.imports());
              snapts.importFrom(next);
              return () -> {};
            }));
  }
}
