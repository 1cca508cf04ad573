package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.TariffVersion;
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
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/// Serves the tariff versions. Every user may read them; only an operator adds one.
@RestController
@RequestMapping("/api/v1/tariffs")
@Tag(name = "tariffs")
class TariffsResource {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final TariffBook tariffs;
  private final InstantSource clock;

  TariffsResource(TariffBook tariffs, InstantSource clock) {
    this.tariffs = tariffs;
    this.clock = clock;
  }

  record NewTariff(@Nullable Instant effectiveFrom, Map<String, Object> tariff) {
    NewTariff {
      JsonBody.require("tariff", tariff);
    }
  }

  record DraftTariff(Map<String, Object> tariff) {
    DraftTariff {
      JsonBody.require("tariff", tariff);
    }
  }

  record TariffView(
      int version, Instant effectiveFrom, String createdBy, Map<String, Object> tariff) {
    @SuppressWarnings("unchecked")
    static TariffView of(TariffVersion version) {
      return new TariffView(
          version.version(),
          version.effectiveFrom(),
          version.createdBy(),
          JSON.convertValue(TariffDocument.tree(version.tariff()), Map.class));
    }
  }

  record TariffList(List<TariffView> tariffs, @Nullable String next) {}

  @GetMapping
  @Operation(summary = "All versions, oldest first", operationId = "listTariffs")
  ResponseEntity<TariffList> list(
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "500") int limit) {
    List<TariffVersion> versions = tariffs.versions();
    Page<TariffView> page =
        Page.oldestFirst("tariffs", cursor, limit, versions, TariffVersion::version)
            .as(TariffView::of);
    return ResponseEntity.ok()
        .eTag(EntityTag.of(versions.size()))
        .body(new TariffList(page.items(), page.next()));
  }

  @GetMapping("/current")
  @Operation(summary = "The version in force", operationId = "getCurrentTariff")
  TariffView current() {
    return TariffView.of(TariffBook.inForce(tariffs.versions(), clock.instant()));
  }

  @Refuses(ProblemType.TARIFF_REFUSED)
  @PostMapping("/check")
  @Operation(
      summary = "Check a draft, and complete it with the defaults; nothing is stored",
      operationId = "checkTariff")
  @SuppressWarnings("unchecked")
  DraftTariff check(@RequestBody DraftTariff draft) {
    return new DraftTariff(
        JSON.convertValue(TariffDocument.tree(parsed(draft.tariff())), Map.class));
  }

  @Refuses({ProblemType.FORBIDDEN, ProblemType.TARIFF_REFUSED, ProblemType.CHANGED_MEANWHILE})
  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(
      summary = "Store a new version, as an operator; a refusal names knot and rule",
      description =
          "If-Match with the ETag of the list stores it only if no version was stored since.",
      operationId = "addTariff")
  TariffView add(
      @AuthenticationPrincipal Caller caller,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String latest,
      @RequestBody NewTariff wanted) {
    Instant now = clock.instant();
    return tariffs
        .add(
            parsed(wanted.tariff()),
            wanted.effectiveFrom() == null ? now : wanted.effectiveFrom(),
            caller.account(),
            now,
            latest == null ? null : EntityTag.required(latest))
        .map(TariffView::of)
        .orElseThrow(() ->
            new ProblemException(
                ProblemType.CHANGED_MEANWHILE,
                "version %d is the latest now: read the versions again"
                    .formatted(tariffs.versions().size())));
  }

  private static Tariff parsed(Map<String, Object> document) {
    return TariffDocument.parse(JSON.writeValueAsString(document));
  }
}
