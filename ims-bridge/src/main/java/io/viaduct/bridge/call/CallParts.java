package io.viaduct.bridge.call;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.CallSettings;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.Routing;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.service.tls.Ed25519;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the parts that serve calls.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class CallParts {
  @Bean
  CallTable callTable(BridgeConfiguration configuration, Replicas replicas) {
    CallSettings calls = configuration.calls();
    return new CallTable(calls.perUser(), calls.max(), calls.longest(), replicas);
  }

  @Bean
  SipService.Calls calls(
      BridgeConfiguration configuration,
      Authentication authentication,
      Subscribers subscribers,
      Routing routing,
      CallTable table,
      SipMeters meters,
      InstantSource clock) {
    CallSettings calls = configuration.calls();
    byte[] secret = Ed25519.readPair(configuration.token().signingKey()).getPrivate().getEncoded();
    CallContext context =
        new CallContext(
            configuration.domain(),
            routing,
            new CallRoutes(secret, configuration.bridges().name()),
            table,
            new SessionTimer(calls.sessionMin(), calls.session()),
            calls.ring(),
            meters,
            clock);
    return new Calls(authentication, subscribers, context, new CallRequests(context));
  }

  @Bean
  MeterBinder callGauges(BridgeConfiguration configuration, CallTable table) {
    return registry -> {
      Gauge.builder("viaduct_bridge_calls", table::size)
          .description("Calls now")
          .register(registry);
      Gauge.builder("viaduct_bridge_calls_max", configuration.calls()::max)
          .description("Most calls: calls.max")
          .register(registry);
    };
  }
}
