package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.credit.CreditRules;
import io.viaduct.billing.ledger.LedgerAccount;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/// Serves accounts, their balances, their postings, and their event streams.
@RestController
@RequestMapping("/api/v1/accounts")
@Tag(name = "accounts")
class AccountsResource {
  private final Accounts accounts;
  private final AccountRows rows;
  private final CreditRules credit;
  private final AccountEvents events;
  private final Callers callers;
  private final JdbcClient jdbc;
  private final InstantSource clock;

  AccountsResource(
      Accounts accounts,
      AccountRows rows,
      CreditRules credit,
      AccountEvents events,
      Callers callers,
      JdbcClient jdbc,
      InstantSource clock) {
    this.accounts = accounts;
    this.rows = rows;
    this.credit = credit;
    this.events = events;
    this.callers = callers;
    this.jdbc = jdbc;
    this.clock = clock;
  }

  record AccountList(List<AccountRow> accounts, @Nullable String next) {}

  record PostingView(
      String id,
      String transaction,
      String kind,
      String amountMicrodenarii,
      Instant postedAt,
      String note) {}

  record PostingList(List<PostingView> postings, @Nullable String next) {}

  @GetMapping
  @Operation(summary = "Accounts with their credit, for an operator", operationId = "listAccounts")
  AccountList list(
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit,
      @RequestParam(defaultValue = "") String search,
      @RequestParam(defaultValue = "") String state,
      @RequestParam(defaultValue = "id") String sort) {
    AccountFilter filter = AccountFilter.of(search, state, sort);
    Page<AccountRows.Row> page =
        Page.of(
            rows.page(
                filter,
                AccountRows.position(Cursor.named(filter.scope(), 1, cursor)),
                Page.limit(limit) + 1,
                clock.instant()),
            limit,
            last ->
                Cursor.after(filter.scope(), new Cursor.Named(last.key(), last.account().id())));
    return new AccountList(
        page.items().stream().map(AccountRows.Row::account).toList(), page.next());
  }

  @Refuses(ProblemType.NOT_FOUND)
  @Tagged
  @GetMapping("/{id}")
  @Operation(summary = "One account", operationId = "getAccount")
  ResponseEntity<AccountView> get(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    return AccountView.tagged(visible(caller, id));
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/{id}/balance")
  @Operation(summary = "Balance of an account", operationId = "getBalance")
  Balance balance(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    visible(caller, id);
    Instant now = clock.instant();
    return Balance.of(credit.find(id, now).orElseThrow(ProblemException::notFound), now);
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/{id}/postings")
  @Operation(summary = "Ledger postings of an account, latest first", operationId = "listPostings")
  PostingList postings(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    visible(caller, id);
    String scope = "postings\n" + id;
    long[] seen = Cursor.key(scope, 2, cursor);
    long before = seen == null ? Long.MAX_VALUE : seen[0];
    long line = seen == null ? 0 : seen[1];
    record Row(long line, PostingView view) {}
    List<Row> rows =
        jdbc.sql(
                "select p.line, p.transaction_id * 100 + p.line, t.id, t.kind, p.amount_microdenarii, t.posted_at, t.note"
                    + " from posting p join ledger_transaction t on t.id = p.transaction_id"
                    + " where p.account = :account and p.transaction_id <= :before"
                    + " and (p.transaction_id, p.line) < (:before, :line)"
                    + " order by p.transaction_id desc, p.line desc limit :limit")
            .param("account", LedgerAccount.user(id).name())
            .param("before", before)
            .param("line", line)
            .param("limit", Page.limit(limit) + 1)
            .query((row, _) ->
                new Row(
                    row.getLong(1),
                    new PostingView(
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getTimestamp(6).toInstant(),
                        row.getString(7))))
            .list();
    Page<Row> page =
        Page.of(
            rows,
            limit,
            last -> Cursor.after(scope, Long.parseLong(last.view().transaction()), last.line()));
    return new PostingList(page.items().stream().map(Row::view).toList(), page.next());
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.TOO_MANY_STREAMS})
  @GetMapping(path = "/{id}/events", produces = "text/event-stream")
  @Operation(
      summary =
          "Server-sent events: 'balance' and 'charge' on every change, 'credit' when it becomes low, exhausted or sufficient",
      operationId = "streamEvents",
      responses =
          @ApiResponse(
              responseCode = "200",
              description =
                  "Events (WHATWG HTML, section 9.2) until the token ends or loses its right; that is"
                      + " looked at every 5 s",
              content =
                  @Content(mediaType = "text/event-stream", schema = @Schema(type = "string"))))
  SseEmitter events(
      @AuthenticationPrincipal Caller caller, Authentication login, @PathVariable String id) {
    visible(caller, id);
    String token = CallerAccess.token(login);
    return events.open(id, caller.expiresAt(), () -> mayStillRead(token, id));
  }

  private boolean mayStillRead(String token, String id) {
    return callers.of(token).filter(now -> now.canSee(id) && !now.lacksSecondFactor()).isPresent();
  }

  private Account visible(Caller caller, String id) {
    return CallerAccess.visible(caller, accounts, id);
  }
}
