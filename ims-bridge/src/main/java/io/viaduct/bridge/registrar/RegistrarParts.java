package io.viaduct.bridge.registrar;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.bridge.cluster.Cluster;
import io.viaduct.bridge.cluster.SharedKey;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.BridgesSettings;
import io.viaduct.bridge.configuration.SipSettings;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.bridge.replication.Duty;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.sip.digest.DigestServer;
import io.viaduct.sip.digest.NonceIssuer;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the parts that serve REGISTER and MESSAGE.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class RegistrarParts {
  private static final int NONCES = 50_000;

  /// Longest wait for one contact of a recipient. Over UDP it has got six transmissions by then.
  /// After the contacts of the highest `q` there is time for the others before the sender's timeout
  /// (32 s).
  private static final Duration CONTACT_PATIENCE = Duration.ofSeconds(12);

  @Bean
  Subscribers subscribers(CreditMessages credit) {
    Subscribers subscribers = new Subscribers();
    subscribers.onNotice(credit::noticed);
    return subscribers;
  }

  @Bean
  LocationService locationService(BridgeConfiguration configuration, Replicas replicas) {
    return new LocationService(
        configuration.sip().contacts(), configuration.sip().bindings(), replicas);
  }

  @Bean
  LockedOut lockedOut(Subscribers subscribers, LocationService locations) {
    return new LockedOut(subscribers, locations);
  }

  @Bean
  SipMeters sipMeters(MeterRegistry registry) {
    return new SipMeters(registry);
  }

  @Bean
  DigestServer digestServer(
      BridgeConfiguration configuration,
      SharedKey key,
      NonceIssuer.Others others,
      Subscribers subscribers,
      InstantSource clock) {
    SipSettings sip = configuration.sip();
    return new DigestServer(
        configuration.domain(),
        sip.offer(),
        sip.nonceLifetime(),
        NONCES,
        subscribers,
        issuer(configuration.bridges(), key, others),
        clock);
  }

  private static NonceIssuer issuer(
      BridgesSettings bridges, SharedKey key, NonceIssuer.Others others) {
    return bridges.keyFile().isEmpty()
        ? NonceIssuer.alone()
        : new NonceIssuer(
            key.derive("nonce", NonceIssuer.KEY_BYTES),
            BridgesSettings.nonceId(bridges.name()),
            others);
  }

  @Bean
  Authentication authentication(
      BridgeConfiguration configuration,
      TrustDomain trust,
      DigestServer digest,
      Subscribers subscribers,
      SipMeters meters,
      InstantSource clock) {
    SipSettings sip = configuration.sip();
    return new Authentication(
        configuration.domain(),
        trust,
        digest,
        subscribers,
        sip.wrongPasswords(),
        sip.wrongPasswordsPerSource(),
        meters,
        clock);
  }

  @Bean
  Gruus gruus(BridgeConfiguration configuration, SharedKey key) {
    return new Gruus(configuration.domain(), key.derive("gruu", Gruus.KEY_BYTES));
  }

  @Bean
  Registrar registrar(
      BridgeConfiguration configuration,
      Authentication authentication,
      LocationService locations,
      Gruus gruus,
      Cluster cluster,
      SipMeters meters,
      InstantSource clock) {
    return new Registrar(
        limits(configuration.sip()),
        authentication,
        locations,
        cluster::awaitCopy,
        gruus,
        meters,
        clock);
  }

  private static Registrar.Limits limits(SipSettings sip) {
    return new Registrar.Limits(sip.expiresMin(), sip.expiresMax(), sip.expiresDefault());
  }

  @Bean
  CoreRegistrar coreRegistrar(
      BridgeConfiguration configuration,
      TrustDomain trust,
      Authentication authentication,
      LocationService locations,
      SipMeters meters,
      InstantSource clock) {
    return new CoreRegistrar(
        configuration.domain(),
        trust,
        limits(configuration.sip()),
        authentication,
        locations,
        meters,
        clock);
  }

  @Bean
  Routing routing(
      Authentication authentication,
      Subscribers subscribers,
      LocationService locations,
      Gruus gruus,
      SharedKey key,
      InstantSource clock) {
    return new Routing(
        authentication,
        subscribers,
        locations,
        gruus,
        key.derive("loop mark", Routing.KEY_BYTES),
        clock);
  }

  @Bean
  MessageProxy messageProxy(
      BridgeConfiguration configuration,
      Authentication authentication,
      Routing routing,
      SipMeters meters) {
    return new MessageProxy(
        configuration.domain(), authentication, routing, meters, CONTACT_PATIENCE);
  }

  @Bean
  SipService.Desk serviceDesk(
      BridgeConfiguration configuration,
      Authentication authentication,
      Subscribers subscribers,
      LocationService locations,
      AccountFacts.Source accounts,
      ServiceDesk.Reports reports,
      SipMeters meters,
      InstantSource clock) {
    return new ServiceDesk(
        configuration.domain(),
        authentication,
        subscribers,
        locations,
        accounts,
        reports,
        meters,
        CONTACT_PATIENCE,
        clock);
  }

  @Bean
  CreditMessages creditMessages(
      BridgeConfiguration configuration,
      LocationService locations,
      Duty duty,
      SipMeters meters,
      MeterRegistry registry,
      InstantSource clock) {
    return new CreditMessages(
        configuration.domain(), locations, duty, meters, registry, CONTACT_PATIENCE, clock);
  }

  @Bean
  SipService sipService(
      BridgeConfiguration configuration,
      Subscribers subscribers,
      TrustDomain trust,
      Registrar registrar,
      CoreRegistrar core,
      MessageProxy proxy,
      SipService.Calls calls,
      SipService.Desk desk,
      SipService.Notifier notifier,
      SipService.Publications publications,
      SipMeters meters) {
    return new SipService(
        configuration.domain(),
        subscribers,
        trust,
        registrar,
        core,
        proxy,
        calls,
        desk,
        notifier,
        publications,
        meters);
  }

  @Bean
  MeterBinder registrations(BridgeConfiguration configuration, LocationService locations) {
    return registry -> {
      Gauge.builder("viaduct_bridge_registrations", locations::size)
          .description("Bindings now")
          .register(registry);
      Gauge.builder("viaduct_bridge_registrations_max", configuration.sip()::bindings)
          .description("Most bindings and most subscriptions: sip.bindings")
          .register(registry);
    };
  }
}
