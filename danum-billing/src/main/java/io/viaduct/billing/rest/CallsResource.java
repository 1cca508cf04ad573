package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.call.Calls;
import io.viaduct.billing.call.Calls.ChargedCall;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves the calls of an account whose seconds another node has counted (ADR 0069).
@RestController
@Tag(name = "charges")
class CallsResource {
  private final Accounts accounts;
  private final Calls calls;

  CallsResource(Accounts accounts, Calls calls) {
    this.accounts = accounts;
    this.calls = calls;
  }

  record CallView(
      String id,
      String node,
      String session,
      Instant startedAt,
      @Nullable Instant endedAt,
      String state,
      String seconds,
      String perSecondMicrodenarii,
      long tariffVersion,
      String chargeMicrodenarii) {
    static CallView of(ChargedCall call) {
      String ended = call.endedBy();
      return new CallView(
          Long.toString(call.id()),
          call.originHost(),
          call.session(),
          call.startedAt(),
          call.endedAt(),
          ended == null ? "open" : ended.toLowerCase(Locale.ROOT),
          Long.toString(call.seconds()),
          call.perSecond().toString(),
          call.tariffVersion(),
          call.charge().toString());
    }
  }

  record CallList(List<CallView> calls, @Nullable String next) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/accounts/{id}/calls")
  @Operation(
      summary =
          "Calls of an account that another node has charged by Diameter, latest first: seconds, price"
              + " of a second, and what they cost",
      operationId = "listCalls")
  CallList list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    Page<CallView> page =
        Page.latestFirst(
                "calls\n" + id,
                cursor,
                limit,
                (before, rows) -> calls.page(id, before, rows),
                ChargedCall::id)
            .as(CallView::of);
    return new CallList(page.items(), page.next());
  }
}
