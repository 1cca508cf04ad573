package io.viaduct.bridge;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.sip.SipEntrance;
import io.viaduct.bridge.sip.SipListeners;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.tls.CertificateMeters;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.spring.SpringService;
import java.time.InstantSource;
import java.util.Map;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.scheduling.annotation.EnableScheduling;

/// The bridge as a Spring Boot application. Each package makes its own parts in a class named
/// `…Parts`; this class makes the parts that belong to no package. The paths through the parts:
///
/// - Request of a user: SipEntrance → SipService → Registrar | MessageProxy | SessionNotifier.
/// - Change of a user: billing → SubscriberFeed → Subscribers → Authentication, SessionNotifier;
///   IssuedRevocations → AnnounceStream → SNAPTs.
/// - Usage report: SnaptsServer → ReportStream → ReportVerifier → MediationForwarder → billing, or
///   → QueueForwarder → broker; then broker → VerdictReader → ReportStream.
///
/// - Several bridges: tables → Replicas → PeerLink ⇒ BridgesService of another bridge → Replicas →
///   the same tables there; a request for its flow: ClusterSender → PeerLink ⇒ BridgesService →
///   SipOrders.
///
/// Entrances are lifecycle beans: they open when all parts are made, and close before any part
/// stops, REST first, then SIP, then the server for SNAPTs.
@SpringBootApplication(proxyBeanMethods = false)
@ComponentScan(resourcePattern = "**/*Parts.class") // reads no other class at the start
@Import({PeriodicWork.class, SipEntrance.class})
@EnableScheduling
@Lazy(false)
public class BridgeApplication {
  /// Returns the bridge, not yet started.
  public static SpringService of(BridgeConfiguration configuration) {
    return SpringService.of(
            "ims-bridge",
            BridgeApplication.class,
            configuration,
            "rest",
            configuration.rest().host(),
            configuration.rest().port(),
            configuration.operations())
        .with(Map.of("spring.mvc.problemdetails.enabled", true));
  }

  @Bean
  ExchangeableTls tls(BridgeConfiguration configuration) {
    return new ExchangeableTls(TlsMaterial.load(configuration.tls()));
  }

  @Bean
  SipListeners sipListeners(
      BridgeConfiguration configuration, MeterRegistry registry, InstantSource clock) {
    return new SipListeners(configuration, registry, clock);
  }

  @Bean
  MeterBinder certificates(ExchangeableTls tls) {
    return registry -> CertificateMeters.bind(registry, tls);
  }

  /// Returns the readiness: the bridge serves users only when it has their directory.
  @Bean
  @ConditionalOnMissingBean
  Readiness readiness(Subscribers subscribers) {
    Readiness readiness = new Readiness("users");
    subscribers.onLoaded(() -> readiness.cleared("users"));
    return readiness;
  }
}
