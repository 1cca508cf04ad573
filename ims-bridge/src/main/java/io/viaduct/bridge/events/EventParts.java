package io.viaduct.bridge.events;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.SipSettings;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.bridge.registrar.AccountFacts;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.Gruus;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.replication.Duty;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.bridge.subscription.ExpiryBounds;
import io.viaduct.bridge.token.SessionNotifier;
import java.time.InstantSource;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;

/// Makes the notifiers of the users' event packages.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class EventParts {
  @Bean
  EventNotifier eventNotifier(
      BridgeConfiguration configuration,
      Authentication authentication,
      TrustDomain trust,
      Subscribers subscribers,
      LocationService locations,
      Gruus gruus,
      AccountFacts.Source accounts,
      Replicas replicas,
      Duty duty,
      SipMeters meters,
      InstantSource clock) {
    SipSettings sip = configuration.sip();
    return new EventNotifier(
        new EventNotifier.Limits(
            sip.bindings(),
            new ExpiryBounds(sip.expiresMin(), sip.expiresMax(), sip.expiresDefault())),
        List.of(
            new RegistrationEvents(authentication, locations, gruus),
            new AccountEvents(accounts, subscribers)),
        authentication,
        trust,
        subscribers,
        locations,
        replicas,
        duty,
        meters,
        clock);
  }

  @Bean
  MeterBinder eventSubscriptions(EventNotifier notifier) {
    return registry ->
        Gauge.builder("viaduct_bridge_event_subscriptions", notifier::size)
            .description("Subscriptions to reg and viaduct-account now")
            .register(registry);
  }

  @Bean
  @Primary
  SipService.Notifier notifiers(EventNotifier accounts, SessionNotifier sessions) {
    return new Notifiers(accounts, sessions);
  }
}
