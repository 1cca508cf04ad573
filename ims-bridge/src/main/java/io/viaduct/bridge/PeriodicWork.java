package io.viaduct.bridge;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.viaduct.bridge.cluster.Cluster;
import io.viaduct.bridge.credit.CreditRelay;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.events.EventNotifier;
import io.viaduct.bridge.registrar.CreditMessages;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.LockedOut;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.bridge.reporting.BillingProbe;
import io.viaduct.bridge.reporting.BillingReachability;
import io.viaduct.bridge.revocation.IssuedRevocations;
import io.viaduct.bridge.token.SessionNotifier;
import io.viaduct.service.operations.Readiness;
import java.time.InstantSource;
import org.springframework.context.annotation.Lazy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/// Passes the time to the parts of the bridge. Spring logs an exception and runs the work again.
@Component
@Lazy(false)
final class PeriodicWork {
  private static final long TICK_MS = 250;

  private final Cluster cluster;
  private final Replicas replicas;
  private final LocationService locations;
  private final LockedOut lockedOut;
  private final SessionNotifier notifier;
  private final EventNotifier events;
  private final CreditMessages credit;
  private final SipService.Calls calls;
  private final CreditRelay relay;
  private final IssuedRevocations revoked;
  private final SnaptClaims claims;
  private final BillingProbe probe;
  private final BillingReachability reachability;
  private final Readiness readiness;
  private final InstantSource clock;
  private final Timer ticks;

  PeriodicWork(
      Cluster cluster,
      Replicas replicas,
      LocationService locations,
      LockedOut lockedOut,
      SessionNotifier notifier,
      EventNotifier events,
      CreditMessages credit,
      SipService.Calls calls,
      CreditRelay relay,
      IssuedRevocations revoked,
      SnaptClaims claims,
      BillingProbe probe,
      BillingReachability reachability,
      Readiness readiness,
      InstantSource clock,
      MeterRegistry registry) {
    this.cluster = cluster;
    this.replicas = replicas;
    this.locations = locations;
    this.lockedOut = lockedOut;
    this.notifier = notifier;
    this.events = events;
    this.credit = credit;
    this.calls = calls;
    this.relay = relay;
    this.revoked = revoked;
    this.claims = claims;
    this.probe = probe;
    this.reachability = reachability;
    this.readiness = readiness;
    this.clock = clock;
    this.ticks =
        Timer.builder("viaduct_bridge_tick")
            .description("Ticks of the periodic work, four a second, and their time")
            .register(registry);
    reachability.show(readiness);
    probe.onClock(); // asks billing while the listeners open
  }

  @Scheduled(fixedDelay = TICK_MS)
  void onClock() {
    ticks.record(this::tick);
  }

  private void tick() {
    cluster.onClock();
    replicas.expire(clock.instant());
    locations.expire(clock.instant());
    lockedOut.onClock();
    notifier.onClock();
    events.onClock();
    credit.onClock();
    calls.onClock();
    relay.onClock();
    claims.onClock();
    revoked.onClock();
    claims.refresh();
    probe.onClock();
    reachability.show(readiness);
  }
}
