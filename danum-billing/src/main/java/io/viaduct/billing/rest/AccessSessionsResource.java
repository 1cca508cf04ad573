package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.access.AccessSessionList;
import io.viaduct.billing.access.AccessSessionList.AccessSession;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves the sessions of an account in access networks (ADR 0074).
@RestController
@Tag(name = "charges")
class AccessSessionsResource {
  private final Accounts accounts;
  private final AccessSessionList sessions;

  AccessSessionsResource(Accounts accounts, AccessSessionList sessions) {
    this.accounts = accounts;
    this.sessions = sessions;
  }

  record AccessSessionView(
      String id,
      String network,
      String server,
      String session,
      String device,
      String address,
      Instant startedAt,
      Instant heardAt,
      @Nullable Instant endedAt,
      @Nullable String endedBy,
      String upBytes,
      String downBytes,
      String tunnelBytes,
      String comparison) {
    static AccessSessionView of(AccessSession session) {
      return new AccessSessionView(
          Long.toString(session.id()),
          session.network(),
          session.server(),
          session.session(),
          session.device(),
          session.address(),
          session.startedAt(),
          session.heardAt(),
          session.endedAt(),
          session.endedBy(),
          Long.toString(session.octetsUp()),
          Long.toString(session.octetsDown()),
          Long.toString(session.tunnelBytes()),
          session.comparison().name().toLowerCase(Locale.ROOT));
    }
  }

  record AccessSessionPage(List<AccessSessionView> accessSessions, @Nullable String next) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/accounts/{id}/access-sessions")
  @Operation(
      summary =
          "Sessions of an account in access networks, latest first, as those have counted them, beside"
              + " what SNAPTs have reported in their time; nothing of it is charged",
      operationId = "listAccessSessions")
  AccessSessionPage list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    Page<AccessSessionView> page =
        Page.latestFirst(
                "access-sessions\n" + id,
                cursor,
                limit,
                (before, rows) -> sessions.page(id, before, rows),
                AccessSession::id)
            .as(AccessSessionView::of);
    return new AccessSessionPage(page.items(), page.next());
  }
}
