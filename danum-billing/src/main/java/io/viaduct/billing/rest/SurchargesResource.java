package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.SurchargeVersion;
import io.viaduct.billing.tariff.TariffDocument;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/// Serves the surcharges of the SNAPTs' owners. Every user may read them, an owner only the own
/// ones; only an operator stores one, for the owner.
@RestController
@RequestMapping("/api/v1/owners/{id}/surcharges")
@Tag(name = "tariffs")
class SurchargesResource {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final SurchargeBook surcharges;
  private final InstantSource clock;

  SurchargesResource(SurchargeBook surcharges, InstantSource clock) {
    this.surcharges = surcharges;
    this.clock = clock;
  }

  record NewSurcharge(@Nullable Instant effectiveFrom, Map<String, Object> surcharge) {
    NewSurcharge {
      JsonBody.require("surcharge", surcharge);
    }
  }

  record SurchargeView(
      String owner,
      int version,
      Instant effectiveFrom,
      String createdBy,
      Map<String, Object> surcharge) {
    @SuppressWarnings("unchecked")
    static SurchargeView of(SurchargeVersion version) {
      return new SurchargeView(
          version.owner(),
          version.version(),
          version.effectiveFrom(),
          version.createdBy(),
          JSON.convertValue(TariffDocument.tree(version.surcharge()), Map.class));
    }
  }

  record SurchargeList(List<SurchargeView> surcharges, @Nullable String next) {}

  @Tagged
  @GetMapping
  @Operation(
      summary = "All versions of an owner's surcharge, oldest first; the ETag stands for this list",
      operationId = "listSurcharges")
  ResponseEntity<SurchargeList> list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "500") int limit) {
    CallerAccess.requireOwnSnapts(caller, id);
    List<SurchargeVersion> versions = surcharges.of(owner(id));
    Page<SurchargeView> page =
        Page.oldestFirst("surcharges\n" + id, cursor, limit, versions, SurchargeVersion::version)
            .as(SurchargeView::of);
    return ResponseEntity.ok()
        .eTag(EntityTag.of(versions.size()))
        .body(new SurchargeList(page.items(), page.next()));
  }

  @Refuses({ProblemType.TARIFF_REFUSED, ProblemType.CHANGED_MEANWHILE})
  @Tagged
  @PostMapping
  @Operation(
      summary = "Store a new version of an owner's surcharge, as an operator",
      description =
          "Without effectiveFrom it is in force at once. With If-Match, the ETag of the list,"
              + " nothing is stored if somebody else has stored a version since.",
      operationId = "addSurcharge",
      responses = @ApiResponse(responseCode = "201", description = "Stored"))
  ResponseEntity<SurchargeView> add(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String seen,
      @RequestBody NewSurcharge wanted) {
    Instant now = clock.instant();
    SurchargeVersion added =
        surcharges
            .add(
                owner(id),
                TariffDocument.parseSurcharge(JSON.writeValueAsString(wanted.surcharge())),
                wanted.effectiveFrom() == null ? now : wanted.effectiveFrom(),
                caller.account(),
                now,
                seen == null ? null : EntityTag.required(seen))
            .orElseThrow(() ->
                new ProblemException(
                    ProblemType.CHANGED_MEANWHILE,
                    "version %d of this owner is the latest now: read the versions again"
                        .formatted(surcharges.of(id).size())));
    return ResponseEntity.status(HttpStatus.CREATED)
        .eTag(EntityTag.of(added.version()))
        .body(SurchargeView.of(added));
  }

  private static String owner(String id) {
    if (!id.matches("[A-Za-z0-9._-]{1,64}")) {
      throw ProblemException.invalid(
          "the owner must be 1 to 64 of A-Z a-z 0-9 . _ -, as a SNAPT names its owner");
    }
    return id;
  }
}
