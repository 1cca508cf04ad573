package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
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

  record NewTariff(Instant effectiveFrom, Map<String, Object> tariff) {
    NewTariff {
      JsonBody.require("effectiveFrom", effectiveFrom);
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

  record TariffList(List<TariffView> tariffs) {}

  @GetMapping
  @Operation(summary = "All versions, oldest first", operationId = "listTariffs")
  TariffList list() {
    return new TariffList(tariffs.versions().stream().map(TariffView::of).toList());
  }

  @GetMapping("/current")
  @Operation(summary = "The version in force", operationId = "getCurrentTariff")
  TariffView current() {
    return TariffView.of(TariffBook.inForce(tariffs.versions(), clock.instant()));
  }

  @Refuses({ProblemType.FORBIDDEN, ProblemType.TARIFF_REFUSED})
  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(
      summary = "Store a new version, as an operator; a refusal names knot and rule",
      operationId = "addTariff")
  TariffView add(@AuthenticationPrincipal Caller caller, @RequestBody NewTariff wanted) {
    return TariffView.of(
        tariffs.add(
            TariffDocument.parse(JSON.writeValueAsString(wanted.tariff())),
            wanted.effectiveFrom(),
            caller.account(),
            clock.instant()));
  }
}
