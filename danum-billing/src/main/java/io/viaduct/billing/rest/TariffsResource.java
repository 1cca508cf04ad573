package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffDiff;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.TariffPeriod;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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

/// Serves the tariff versions. Every user may read them; only an operator adds one, checks a draft
/// and compares it.
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

  record TariffView(
      int version,
      Instant effectiveFrom,
      @Nullable Instant validUntil,
      String state,
      String createdBy,
      Map<String, Object> tariff) {
    static TariffView of(TariffPeriod period) {
      TariffVersion version = period.version();
      return new TariffView(
          version.version(),
          version.effectiveFrom(),
          period.until(),
          period.state().name().toLowerCase(Locale.ROOT).replace('_', '-'),
          version.createdBy(),
          document(version.tariff()));
    }
  }

  record TariffList(List<TariffView> tariffs, @Nullable String next) {}

  record DraftTariff(Map<String, Object> tariff) {
    DraftTariff {
      JsonBody.require("tariff", tariff);
    }
  }

  record NewComparison(int from, @Nullable Integer to, @Nullable Map<String, Object> tariff) {}

  record TariffChange(
      String place, @Nullable Integer knot, @Nullable String before, @Nullable String after) {}

  record TariffChangeList(List<TariffChange> changes) {}

  @Tagged
  @GetMapping
  @Operation(
      summary = "All versions, oldest first; the ETag stands for this list",
      operationId = "listTariffs")
  ResponseEntity<TariffList> list(
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "500") int limit) {
    List<TariffVersion> versions = tariffs.versions();
    Page<TariffView> page =
        Page.oldestFirst(
                "tariffs",
                cursor,
                limit,
                TariffPeriod.of(versions, clock.instant()),
                period -> period.version().version())
            .as(TariffView::of);
    return ResponseEntity.ok()
        .eTag(EntityTag.of(versions.size()))
        .body(new TariffList(page.items(), page.next()));
  }

  @GetMapping("/current")
  @Operation(summary = "The version in force", operationId = "getCurrentTariff")
  TariffView current() {
    List<TariffVersion> versions = tariffs.versions();
    return view(versions, TariffBook.inForce(versions, clock.instant()).version());
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/{id}")
  @Operation(summary = "One version", operationId = "getTariff")
  TariffView get(@PathVariable String id) {
    return view(tariffs.versions(), version(id).version());
  }

  private TariffView view(List<TariffVersion> versions, int version) {
    return TariffView.of(TariffPeriod.of(versions, clock.instant()).get(version - 1));
  }

  @Refuses({
    ProblemType.TARIFF_REFUSED,
    ProblemType.VERSION_REQUIRED,
    ProblemType.CHANGED_MEANWHILE
  })
  @Tagged
  @PostMapping
  @Operation(
      summary = "Store a new version, as an operator; a refusal names knot and rule",
      description =
          "If-Match must have the ETag of the list: nothing is stored if somebody else has stored a"
              + " version since.",
      operationId = "addTariff",
      responses = @ApiResponse(responseCode = "201", description = "Stored"))
  ResponseEntity<TariffView> add(
      @AuthenticationPrincipal Caller caller,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String seen,
      @RequestBody NewTariff wanted) {
    Tariff tariff = parse(wanted.tariff());
    Instant now = clock.instant();
    Instant from = wanted.effectiveFrom() == null ? now : wanted.effectiveFrom();
    TariffVersion added =
        tariffs
            .add(tariff, from, caller.account(), now, EntityTag.required(seen))
            .orElseThrow(() ->
                new ProblemException(
                    ProblemType.CHANGED_MEANWHILE,
                    "version %d is the latest now: read the versions again"
                        .formatted(tariffs.versions().size())));
    List<TariffVersion> versions = tariffs.versions();
    return ResponseEntity.status(HttpStatus.CREATED)
        .eTag(EntityTag.of(versions.size()))
        .body(view(versions, added.version()));
  }

  @Refuses({ProblemType.TARIFF_REFUSED})
  @PostMapping("/check")
  @Operation(
      summary = "Check a draft, and complete it with the defaults; nothing is stored",
      description = "A refusal names the first broken rule with its place and knot.",
      operationId = "checkTariff")
  DraftTariff check(@RequestBody DraftTariff draft) {
    return new DraftTariff(document(parse(draft.tariff())));
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.TARIFF_REFUSED})
  @PostMapping("/diff")
  @Operation(
      summary = "What differs between a version and another one, or a draft",
      operationId = "compareTariffs")
  TariffChangeList diff(@RequestBody NewComparison wanted) {
    Map<String, Object> draft = wanted.tariff();
    Integer to = wanted.to();
    if ((draft == null) == (to == null)) {
      throw ProblemException.invalid("give either 'to' or 'tariff'");
    }
    Tariff before = version(Integer.toString(wanted.from())).tariff();
    Tariff after = draft == null ? version(String.valueOf(to)).tariff() : parse(draft);
    return new TariffChangeList(
        TariffDiff.of(before, after).stream()
            .map(c -> new TariffChange(c.place(), c.knot(), c.before(), c.after()))
            .toList());
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> document(Tariff tariff) {
    return JSON.convertValue(TariffDocument.tree(tariff), Map.class);
  }

  static Tariff parse(Map<String, Object> document) {
    return TariffDocument.parse(JSON.writeValueAsString(document));
  }

  private TariffVersion version(String id) {
    Optional<TariffVersion> found =
        tariffs.versions().stream()
            .filter(version -> Integer.toString(version.version()).equals(id))
            .findFirst();
    return found.orElseThrow(ProblemException::notFound);
  }
}
