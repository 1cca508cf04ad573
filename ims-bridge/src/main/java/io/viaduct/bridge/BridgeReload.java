package io.viaduct.bridge;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.provisioning.SnaptFeed;
import io.viaduct.bridge.sip.SipListeners;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.reload.Reloading;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.spring.ServiceLogging;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.InstantSource;
import java.util.List;
import org.springframework.context.ApplicationContext;

/// Reads and checks the bridge's configuration at the start and at SIGHUP, and applies the keys
/// that a running bridge can take.
final class BridgeReload {
  private BridgeReload() {}

  /// Returns the source of the configuration; it also checks the keys and certificates that the
  /// file names.
  static ConfigurationSource<BridgeConfiguration> source(Path file, InstantSource clock) {
    return ConfigurationSource.of(
        file,
        BridgeConfiguration.class,
        configuration -> {
          CertificateCheck.of(configuration.tls(), clock.instant());
          SipListeners.check(configuration.sip().tls(), clock.instant());
          var unused = SipListeners.authorities(configuration.core(), clock.instant());
          Ed25519.readPair(configuration.token().signingKey());
        });
  }

  /// Returns the reload of a running bridge.
  static ConfigurationReload<BridgeConfiguration> of(
      ConfigurationSource<BridgeConfiguration> source,
      ConfigurationKeys running,
      ApplicationContext bridge) {
    return new ConfigurationReload<>(
        source,
        running,
        parts(bridge),
        bridge.getBean(MeterRegistry.class),
        bridge.getBean(InstantSource.class));
  }

  /// Returns the keys that a running bridge applies; all others take effect at the next start.
  static List<Reloading<BridgeConfiguration>> parts(ApplicationContext bridge) {
    InstantSource clock = bridge.getBean(InstantSource.class);
    ExchangeableTls tls = bridge.getBean(ExchangeableTls.class);
    TokenIssuer tokens = bridge.getBean(TokenIssuer.class);
    return List.of(
        new Reloading<>(
            List.of("tls"),
            next -> tls.prepare(CertificateCheck.of(next.tls(), clock.instant()).material())),
        new Reloading<>(
            List.of("sip.tls.certificate", "sip.tls.private-key"),
            next -> bridge.getBean(SipListeners.class).prepare(next.sip().tls())),
        new Reloading<>(
            List.of("token.signing-key", "token.accepted-keys"),
            next -> {
              KeyPair signing = Ed25519.readPair(next.token().signingKey());
              return () -> tokens.use(signing, next.token().accepted());
            }),
        new Reloading<>(
            List.of("snapts"),
            next -> () -> bridge.getBean(SnaptFeed.class).configured(next.snapts())),
        new Reloading<>(
            List.of("logging.level"), next -> () -> ServiceLogging.level(next.logging().level())));
  }
}
