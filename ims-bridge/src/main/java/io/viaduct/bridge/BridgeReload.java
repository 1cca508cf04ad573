package io.viaduct.bridge;

import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.logging.ProcessLogging;
import io.viaduct.service.reload.Reloading;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.Ed25519;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.InstantSource;
import java.util.List;

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
          Ed25519.readPair(configuration.token().signingKey());
        });
  }

  /// Returns the keys that a running bridge applies; all others take effect at the next start.
  static List<Reloading<BridgeConfiguration>> parts(Bridge bridge, InstantSource clock) {
    return List.of(
        new Reloading<>(
            List.of("tls"),
            next ->
                bridge.tls().prepare(CertificateCheck.of(next.tls(), clock.instant()).material())),
        new Reloading<>(
            List.of("token.signing-key", "token.accepted-keys"),
            next -> {
              KeyPair signing = Ed25519.readPair(next.token().signingKey());
              return () -> bridge.tokens().use(signing, next.token().accepted());
            }),
        new Reloading<>(List.of("snapts"), next -> () -> bridge.snapts(next.snapts())),
        new Reloading<>(
            List.of("logging.level"), next -> () -> ProcessLogging.level(next.logging().level())));
  }
}
