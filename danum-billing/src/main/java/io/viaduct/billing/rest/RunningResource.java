package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/// Serves what an account's devices do now.
@RestController
@Tag(name = "charges")
class RunningResource {
  private final Accounts accounts;
  private final RunningTraffic traffic;
  private final InstantSource clock;

  RunningResource(Accounts accounts, RunningTraffic traffic, InstantSource clock) {
    this.accounts = accounts;
    this.traffic = traffic;
    this.clock = clock;
  }

  record RunningView(String account, Instant asOf, List<RunningTraffic.Running> running) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/accounts/{id}/running")
  @Operation(
      summary = "What runs now, by session, application and class: the highest rate first",
      operationId = "listRunning")
  RunningView list(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    CallerAccess.visible(caller, accounts, id);
    Instant now = clock.instant();
    return new RunningView(id, now, traffic.of(id, now));
  }
}
