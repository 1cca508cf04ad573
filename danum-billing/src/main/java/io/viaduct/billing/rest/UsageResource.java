package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves sums of an account's charges by time, class, application and device.
@RestController
@RequestMapping("/api/v1/accounts/{id}")
@Tag(name = "charges")
class UsageResource {
  private final Accounts accounts;
  private final Usage usage;

  UsageResource(Accounts accounts, Usage usage) {
    this.accounts = accounts;
    this.usage = usage;
  }

  record UsageView(
      String account,
      @Nullable Instant from,
      @Nullable Instant to,
      String zone,
      List<String> by,
      List<Usage.Sums> usage,
      Usage.Sums total) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/usage")
  @Operation(
      summary = "Sums of an account's charges, by day, hour, class, application and device",
      operationId = "getUsage")
  UsageView usage(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      @RequestParam(name = "class", defaultValue = "") String serviceClass,
      @RequestParam(defaultValue = "") String application,
      @RequestParam(defaultValue = "") String device,
      @RequestParam(defaultValue = "") String link,
      @RequestParam(defaultValue = "UTC") String zone,
      @RequestParam(defaultValue = "day") String by) {
    CallerAccess.visible(caller, accounts, id);
    ChargeFilter filter =
        ChargeFilter.of(id, from, to, serviceClass, "", application, "", device, link, "");
    ZoneId days = TimeRange.zone(zone);
    Set<Usage.Grouping> parts = Usage.Grouping.of(by);
    List<Usage.Sums> rows = usage.sums(filter, days, parts);
    return new UsageView(
        id,
        filter.start().from(),
        filter.start().to(),
        days.getId(),
        parts.stream().map(Usage.Grouping::word).toList(),
        rows,
        Usage.total(rows));
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping(path = "/usage.csv", produces = Csv.MEDIA_TYPE)
  @Operation(
      summary = "The same sums as a file",
      operationId = "exportUsage",
      responses =
          @ApiResponse(
              responseCode = "200",
              description = "CSV (RFC 4180), a column for each field of the sums",
              content = @Content(mediaType = "text/csv", schema = @Schema(type = "string"))))
  void export(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      @RequestParam(name = "class", defaultValue = "") String serviceClass,
      @RequestParam(defaultValue = "") String application,
      @RequestParam(defaultValue = "") String device,
      @RequestParam(defaultValue = "") String link,
      @RequestParam(defaultValue = "UTC") String zone,
      @RequestParam(defaultValue = "day") String by,
      HttpServletResponse response)
      throws IOException {
    CallerAccess.visible(caller, accounts, id);
    ChargeFilter filter =
        ChargeFilter.of(id, from, to, serviceClass, "", application, "", device, link, "");
    ZoneId days = TimeRange.zone(zone);
    Set<Usage.Grouping> parts = Usage.Grouping.of(by);
    Csv.send(
        response,
        "usage-" + id,
        Usage.Sums.class,
        _ -> new Page<>(usage.sums(filter, days, parts), null));
  }
}
