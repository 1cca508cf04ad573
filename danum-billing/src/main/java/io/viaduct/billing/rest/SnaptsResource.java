package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.configuration.SnaptFacts;
import io.viaduct.billing.rest.SurchargesResource.SurchargeView;
import io.viaduct.billing.snapts.Snapt;
import io.viaduct.billing.snapts.SnaptRefusedException;
import io.viaduct.billing.snapts.Snapts;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.SurchargeVersion;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Enrols, changes and removes SNAPTs, as an operator. An owner reads the own ones.
@RestController
@RequestMapping("/api/v1/snapts")
@Tag(name = "snapts")
class SnaptsResource {
  private static final String SCOPE = "snapts";

  private final Snapts snapts;
  private final SurchargeBook surcharges;
  private final InstantSource clock;

  SnaptsResource(Snapts snapts, SurchargeBook surcharges, InstantSource clock) {
    this.snapts = snapts;
    this.surcharges = surcharges;
    this.clock = clock;
  }

  record WantedSnapt(
      String reportKey, String owner, @Nullable String region, @Nullable Long lineRate) {
    WantedSnapt {
      JsonBody.require("reportKey", reportKey);
      JsonBody.require("owner", owner);
    }
  }

  /// @param surcharge the owner's version in force; absent if there is none
  /// @param scheduled the owner's versions that begin later, in that order
  record SnaptView(
      String id,
      String reportKey,
      String owner,
      String region,
      @Nullable Long lineRate,
      Instant enrolledAt,
      @Nullable SurchargeView surcharge,
      List<SurchargeView> scheduled) {}

  record SnaptList(List<SnaptView> snapts, @Nullable String next) {}

  @GetMapping
  @Operation(
      summary = "Enrolled SNAPTs, by id; an owner of SNAPTs gets the own ones",
      operationId = "listSnapts")
  SnaptList list(
      @AuthenticationPrincipal Caller caller,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "500") int limit) {
    Cursor.Named seen = Cursor.named(SCOPE, 1, cursor);
    Page<Snapt> page =
        Page.of(
            snapts.page(
                caller.role() == Role.SNAPT_OWNER ? caller.account() : null,
                seen == null ? "" : seen.names().getFirst(),
                Page.limit(limit) + 1),
            limit,
            last -> Cursor.after(SCOPE, new Cursor.Named(0, last.id())));
    Map<String, List<SurchargeVersion>> asked =
        surcharges.of(page.items().stream().map(each -> each.facts().owner()).distinct().toList());
    return new SnaptList(
        page.items().stream()
            .map(each -> view(each, asked.getOrDefault(each.facts().owner(), List.of())))
            .toList(),
        page.next());
  }

  @Refuses({ProblemType.NOT_FOUND})
  @Tagged
  @GetMapping("/{id}")
  @Operation(summary = "One enrolled SNAPT, as an operator or its owner", operationId = "getSnapt")
  ResponseEntity<SnaptView> get(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    Snapt snapt = snapts.find(id).orElseThrow(() -> ProblemException.notFound());
    CallerAccess.requireOwnSnapts(caller, snapt.facts().owner());
    return tagged(HttpStatus.OK, snapt);
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.VERSION_REQUIRED, ProblemType.CHANGED_MEANWHILE})
  @Tagged
  @PutMapping("/{id}")
  @Operation(
      summary = "Enrol a SNAPT, or change an enrolled one, as an operator",
      description =
          "Without If-Match it enrols. With If-Match, the ETag of the SNAPT, it replaces what is"
              + " enrolled. The bridge knows it within a second. A new owner has the intervals that"
              + " begin from now on; earlier ones stay the former owner's.",
      operationId = "putSnapt",
      responses = {
        @ApiResponse(responseCode = "201", description = "Enrolled"),
        @ApiResponse(responseCode = "200", description = "Changed")
      })
  ResponseEntity<SnaptView> put(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version,
      @RequestBody WantedSnapt wanted) {
    SnaptFacts facts = facts(id, wanted);
    Long known = version == null ? null : EntityTag.required(version);
    try {
      Snapt stored = snapts.put(facts, known, caller.account(), clock.instant());
      return tagged(known == null ? HttpStatus.CREATED : HttpStatus.OK, stored);
    } catch (SnaptRefusedException e) {
      throw problem(e);
    }
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.CHANGED_MEANWHILE})
  @DeleteMapping("/{id}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Remove a SNAPT, as an operator",
      description =
          "The bridge refuses its status and its reports from now on, and devices get a list without"
              + " it. The SNAPT keeps reports that were not taken: they are taken if it is enrolled"
              + " again. Let it drain first. If-Match may name the ETag.",
      operationId = "removeSnapt")
  void remove(
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version) {
    try {
      snapts.remove(id, version == null ? null : EntityTag.required(version), clock.instant());
    } catch (SnaptRefusedException e) {
      throw problem(e);
    }
  }

  private static SnaptFacts facts(String id, WantedSnapt wanted) {
    try {
      return new SnaptFacts(
          id,
          wanted.reportKey(),
          wanted.owner(),
          wanted.region() == null ? "" : wanted.region(),
          Optional.ofNullable(wanted.lineRate()));
    } catch (IllegalArgumentException e) {
      throw ProblemException.invalid(String.valueOf(e.getMessage()));
    }
  }

  private ResponseEntity<SnaptView> tagged(HttpStatus status, Snapt snapt) {
    return ResponseEntity.status(status)
        .eTag(EntityTag.of(snapt.version()))
        .body(view(snapt, surcharges.of(snapt.facts().owner())));
  }

  private SnaptView view(Snapt snapt, List<SurchargeVersion> asked) {
    SurchargeBook.Schedule surcharge = SurchargeBook.schedule(asked, clock.instant());
    return new SnaptView(
        snapt.id(),
        snapt.facts().reportKey(),
        snapt.facts().owner(),
        snapt.facts().region(),
        snapt.facts().lineRate().orElse(null),
        snapt.enrolledAt(),
        surcharge.inForce() == null ? null : SurchargeView.of(surcharge.inForce()),
        surcharge.later().stream().map(SurchargeView::of).toList());
  }

  static ProblemException problem(SnaptRefusedException e) {
    String why = String.valueOf(e.getMessage());
    return switch (e.reason()) {
      case UNKNOWN -> new ProblemException(ProblemType.NOT_FOUND, why);
      case CHANGED -> new ProblemException(ProblemType.CHANGED_MEANWHILE, why);
      case VERSION_REQUIRED -> new ProblemException(ProblemType.VERSION_REQUIRED, why);
      case OTHER_KEY -> ProblemException.invalid(why);
    };
  }
}
