package io.viaduct.bridge.token;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.SipSettings;
import io.viaduct.bridge.configuration.TokenSettings;
import io.viaduct.service.tls.Ed25519;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/// Makes the issuer of session tokens, and the notifier that sends them to devices.
@Configuration(proxyBeanMethods = false)
@Import(SessionNotifier.class)
@Lazy(false)
class TokenParts {
  @Bean
  TokenIssuer tokenIssuer(BridgeConfiguration configuration, InstantSource clock) {
    TokenSettings token = configuration.token();
    return new TokenIssuer(
        Ed25519.readPair(token.signingKey()),
        token.accepted(),
        token.lifetime(),
        token.audience(),
        clock);
  }

  @Bean
  SessionNotifier.Settings subscriptionSettings(BridgeConfiguration configuration) {
    SipSettings sip = configuration.sip();
    return new SessionNotifier.Settings(
        configuration.domain(),
        sip.bindings(),
        sip.expiresMin(),
        sip.expiresMax(),
        sip.expiresDefault(),
        configuration.reporting().interval(),
        configuration.directory().first());
  }

  @Bean
  MeterBinder subscriptions(SessionNotifier notifier) {
    return registry ->
        Gauge.builder("viaduct_bridge_subscriptions", notifier::size)
            .description("Subscriptions now")
            .register(registry);
  }
}
