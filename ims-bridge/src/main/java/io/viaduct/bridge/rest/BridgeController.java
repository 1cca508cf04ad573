package io.viaduct.bridge.rest;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.cluster.Cluster;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.reporting.ReportMeters;
import io.viaduct.usage.v1.DrainOrder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/// Serves the directory of SNAPTs, the registrations, and SIP errors by cause.
@RestController
@RequestMapping("/api/v1")
final class BridgeController {
  private static final long DEADLINE_MAX = 604_800; // a week
  private static final int LIMIT_MAX = 500;

  private final SnaptDirectory directory;
  private final SnaptClaims claims;
  private final Cluster cluster;
  private final LocationService locations;
  private final ReportMeters reports;
  private final MeterRegistry meters;
  private final InstantSource clock;

  BridgeController(
      SnaptDirectory directory,
      SnaptClaims claims,
      Cluster cluster,
      LocationService locations,
      ReportMeters reports,
      MeterRegistry meters,
      InstantSource clock) {
    this.meters = meters;
    this.reports = reports;
    this.directory = directory;
    this.claims = claims;
    this.cluster = cluster;
    this.locations = locations;
    this.clock = clock;
  }

  @GetMapping("/snapts")
  Map<String, List<SnaptView>> snapts() {
    return Map.of(
        "snapts",
        directory.all().stream()
            .map(entry -> SnaptView.of(entry, directory, claims, reports, clock.instant()))
            .toList());
  }

  /// An order to drain, or to serve again.
  ///
  /// @param by account of the operator, for the SNAPT's log
  /// @param deadlineSeconds seconds after which the sessions end that are left; absent for never
  record DrainRequest(String by, @Nullable Long deadlineSeconds) {
    DrainRequest {
      if (by == null || !by.matches("[A-Za-z0-9._-]{1,64}")) {
        throw new IllegalArgumentException("by must name the operator's account");
      }
      if (deadlineSeconds != null && (deadlineSeconds < 1 || deadlineSeconds > DEADLINE_MAX)) {
        throw new IllegalArgumentException(
            "deadlineSeconds must be 1 to %d, got %d".formatted(DEADLINE_MAX, deadlineSeconds));
      }
    }
  }

  /// Lets a SNAPT drain. The SNAPT tells its new state with its next status, at once.
  @PostMapping("/snapts/{id}/drain")
  @ResponseStatus(HttpStatus.ACCEPTED)
  void drain(@PathVariable String id, @RequestBody DrainRequest wanted) {
    Long seconds = wanted.deadlineSeconds();
    order(
        id,
        DrainOrder.newBuilder()
            .setDraining(true)
            .setDeadlineMs(
                seconds == null ? 0 : clock.instant().plusSeconds(seconds).toEpochMilli())
            .setBy(wanted.by())
            .build());
  }

  /// Ends a drain.
  @PostMapping("/snapts/{id}/undrain")
  @ResponseStatus(HttpStatus.ACCEPTED)
  void undrain(@PathVariable String id, @RequestBody DrainRequest wanted) {
    order(id, DrainOrder.newBuilder().setBy(wanted.by()).build());
  }

  private void order(String id, DrainOrder order) {
    if (directory.configured(id).isEmpty()) {
      throw new ResponseStatusException(HttpStatus.NOT_FOUND, "no SNAPT of this id is enrolled");
    }
    if (!claims.order(id, order) && !cluster.order(id, order)) {
      throw new ResponseStatusException(
          HttpStatus.CONFLICT,
          "SNAPT '" + id + "' is not connected: use 'snapt drain' on its machine");
    }
  }

  @GetMapping("/sip-refusals")
  SipRefusals refusals() {
    return SipRefusals.of(meters);
  }

  /// A page of registrations.
  ///
  /// @param next cursor of the next page; null on the last page
  record RegistrationList(List<RegistrationView> registrations, int total, @Nullable String next) {}

  /// Lists contacts, sorted by user and contact.
  ///
  /// @param search beginning of user names, or part of a contact or source; empty for all
  /// @param cursor `next` of the page before; empty for the first page
  @GetMapping("/registrations")
  RegistrationList registrations(
      @RequestParam(defaultValue = "") String search,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "500") int limit) {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new ResponseStatusException(
          HttpStatus.BAD_REQUEST, "limit must be 1 to " + LIMIT_MAX + ", got " + limit);
    }
    String after = decoded(cursor);
    List<RegistrationView> found =
        locations.all(clock.instant()).stream()
            .map(RegistrationView::of)
            .filter(registration -> registration.fits(search))
            .toList();
    List<RegistrationView> page =
        found.stream()
            .filter(registration -> registration.position().compareTo(after) > 0)
            .limit(limit + 1L)
            .toList();
    boolean isLast = page.size() <= limit;
    List<RegistrationView> shown = isLast ? page : page.subList(0, limit);
    return new RegistrationList(
        shown, found.size(), isLast ? null : encoded(shown.getLast().position()));
  }

  private static String encoded(String position) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(position.getBytes(StandardCharsets.UTF_8));
  }

  private static String decoded(String cursor) {
    try {
      return new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new ResponseStatusException(
          HttpStatus.BAD_REQUEST, "cursor must be the 'next' of an earlier page", e);
    }
  }
}
