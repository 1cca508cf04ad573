package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Stores the orders of operators about drains, so that the audit log has them. The bridge, which
/// carries them out, knows no accounts.
@RestController
@Tag(name = "snapts")
class DrainOrdersResource {
  private static final long DEADLINE_MAX = 2_678_400;

  private final JdbcClient jdbc;
  private final InstantSource clock;

  DrainOrdersResource(JdbcClient jdbc, InstantSource clock) {
    this.jdbc = jdbc;
    this.clock = clock;
  }

  record WantedDrain(String action, @Nullable Long deadlineSeconds) {
    WantedDrain {
      JsonBody.require("action", action);
    }
  }

  record DrainOrder(
      String snapt, String action, @Nullable Long deadlineSeconds, Instant orderedAt) {}

  @PostMapping("/api/v1/snapts/{id}/drain-orders")
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(
      summary = "Note in the audit log that an operator lets a SNAPT drain, or ends its drain",
      description = "It orders nothing: the pages ask the bridge afterwards.",
      operationId = "noteDrain")
  DrainOrder note(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody WantedDrain wanted) {
    if (!id.matches("[A-Za-z0-9._-]{1,64}")) {
      throw ProblemException.notFound();
    }
    if (!List.of("drain", "undrain").contains(wanted.action())) {
      throw ProblemException.invalid("action must be drain or undrain");
    }
    Long deadline = wanted.deadlineSeconds();
    if (deadline != null && (deadline < 0 || deadline > DEADLINE_MAX)) {
      throw ProblemException.invalid("deadlineSeconds must be 0 to " + DEADLINE_MAX);
    }
    Instant now = clock.instant();
    jdbc.sql(
            "insert into drain_order (snapt, action, deadline_seconds, ordered_by, ordered_at)"
                + " values (:snapt, :action, :deadline, :by, :at)")
        .param("snapt", id)
        .param("action", wanted.action())
        .param("deadline", deadline)
        .param("by", caller.account())
        .param("at", Timestamp.from(now))
        .update();
    return new DrainOrder(id, wanted.action(), deadline, now);
  }
}
