package io.viaduct.bridge.rest;

import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.reporting.ReportMeters;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/// Serves the directory of SNAPTs and the registrations, read only.
@RestController
@RequestMapping("/api/v1")
final class BridgeController {
  private final SnaptDirectory directory;
  private final SnaptClaims claims;
  private final LocationService locations;
  private final ReportMeters reports;
  private final InstantSource clock;

  BridgeController(
      SnaptDirectory directory,
      SnaptClaims claims,
      LocationService locations,
      ReportMeters reports,
      InstantSource clock) {
    this.reports = reports;
    this.directory = directory;
    this.claims = claims;
    this.locations = locations;
    this.clock = clock;
  }

  @GetMapping("/snapts")
  Map<String, List<SnaptView>> snapts() {
    return Map.of(
        "snapts",
        directory.all().stream()
            .map(entry -> SnaptView.of(entry, directory, claims, reports))
            .toList());
  }

  @GetMapping("/registrations")
  Map<String, List<RegistrationView>> registrations() {
    return Map.of(
        "registrations",
        locations.all(clock.instant()).stream().map(RegistrationView::of).toList());
  }
}
