package io.viaduct.bridge.token;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.directory.RelayAddresses;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.service.tls.Ed25519;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the issuer of session tokens, and the notifier that sends them to devices.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class TokenParts {
  @Bean
  TokenIssuer tokenIssuer(BridgeConfiguration configuration, InstantSource clock) {
    BridgeConfiguration.Token token = configuration.token();
    return new TokenIssuer(
        Ed25519.readPair(token.signingKey()),
        token.accepted(),
        token.lifetime(),
        token.audience(),
        clock);
  }

  @Bean
  SessionNotifier sessionNotifier(
      BridgeConfiguration configuration,
      Authentication authentication,
      LocationService locations,
      Subscribers subscribers,
      DeviceLimit devices,
      SnaptDirectory directory,
      RelayAddresses addresses,
      TokenIssuer tokens,
      SipMeters meters,
      InstantSource clock) {
    BridgeConfiguration.Sip sip = configuration.sip();
    return new SessionNotifier(
        configuration.domain(),
        new SessionNotifier.Limits(
            sip.bindings(),
            sip.expiresMin(),
            sip.expiresMax(),
            sip.expiresDefault(),
            configuration.reporting().interval()),
        authentication,
        locations,
        subscribers,
        devices,
        directory,
        addresses,
        tokens,
        meters,
        clock);
  }

  @Bean
  MeterBinder subscriptions(SessionNotifier notifier) {
    return registry ->
        Gauge.builder("viaduct.bridge.subscriptions", notifier::size)
            .description("Subscriptions now")
            .register(registry);
  }
}
