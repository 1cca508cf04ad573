package io.viaduct.bridge;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.provisioning.SnaptFeed;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.reporting.ReportMeters;
import io.viaduct.bridge.sip.SipEntrance;
import io.viaduct.bridge.snapts.SnaptsServer;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.service.operations.Readiness;
import io.viaduct.spring.SpringService;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import org.springframework.context.ApplicationContext;

/// A bridge as the command starts it, and the parts that tests look at.
public final class RunningBridge implements AutoCloseable {
  private final SpringService service;
  private final ApplicationContext parts;

  private RunningBridge(SpringService service, ApplicationContext parts) {
    this.service = service;
    this.parts = parts;
  }

  /// Starts a bridge whose time a test sets.
  public static RunningBridge start(
      BridgeConfiguration configuration, InstantSource clock, Readiness readiness)
      throws IOException {
    SpringService service =
        BridgeApplication.of(configuration)
            .with(InstantSource.class, clock)
            .with(Readiness.class, readiness);
    return new RunningBridge(service, service.start());
  }

  public ApplicationContext parts() {
    return parts;
  }

  public MeterRegistry registry() {
    return parts.getBean(MeterRegistry.class);
  }

  public SnaptDirectory directory() {
    return parts.getBean(SnaptDirectory.class);
  }

  /// Replaces the list of SNAPTs, as a reload does.
  public void snapts(List<Snapt> configured) {
    parts.getBean(SnaptFeed.class).configured(configured);
  }

  public ReportMeters reportMeters() {
    return parts.getBean(ReportMeters.class);
  }

  public SnaptClaims claims() {
    return parts.getBean(SnaptClaims.class);
  }

  public Subscribers subscribers() {
    return parts.getBean(Subscribers.class);
  }

  public LocationService locations() {
    return parts.getBean(LocationService.class);
  }

  public TokenIssuer tokens() {
    return parts.getBean(TokenIssuer.class);
  }

  public int sipPort() {
    return parts.getBean(SipEntrance.class).port();
  }

  public int grpcPort() {
    return parts.getBean(SnaptsServer.class).port();
  }

  public int restPort() {
    return parts.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }

  @Override
  public void close() {
    service.close();
  }
}
