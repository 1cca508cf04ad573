package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/// Accounts, what they have, what they were charged, and what happens to them now.
@RestController
@RequestMapping("/api/v1/accounts")
@Tag(name = "accounts")
class AccountsResource {
  private final Accounts accounts;
  private final Ledger ledger;
  private final Charges charges;
  private final AccountEvents events;
  private final JdbcTemplate jdbc;
  private final InstantSource clock;

  AccountsResource(
      Accounts accounts,
      Ledger ledger,
      Charges charges,
      AccountEvents events,
      JdbcTemplate jdbc,
      InstantSource clock) {
    this.accounts = accounts;
    this.ledger = ledger;
    this.charges = charges;
    this.events = events;
    this.jdbc = jdbc;
    this.clock = clock;
  }

  record AccountList(List<AccountView> accounts, @Nullable String next) {}

  record ChargeList(List<Charge> charges, @Nullable String next) {}

  record PostingView(
      String id,
      String transaction,
      String kind,
      String amountMicrodenarii,
      Instant postedAt,
      String note) {}

  record PostingList(List<PostingView> postings, @Nullable String next) {}

  @GetMapping
  @Operation(summary = "All accounts, for an operator", operationId = "listAccounts")
  AccountList list(
      Caller caller,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    BearerCheck.requireOperator(caller);
    if (!cursor.isEmpty() && !cursor.matches(Account.ID_PATTERN)) {
      throw ProblemException.invalid(
          "cursor must be the 'next' of an earlier page, or be left out");
    }
    Page<Account> page = Page.of(accounts.page(cursor, Page.limit(limit) + 1), limit, Account::id);
    return new AccountList(page.items().stream().map(AccountView::of).toList(), page.next());
  }

  @GetMapping("/{id}")
  @Operation(summary = "One account", operationId = "getAccount")
  AccountView get(Caller caller, @PathVariable String id) {
    return AccountView.of(visible(caller, id));
  }

  @GetMapping("/{id}/balance")
  @Operation(summary = "What it has", operationId = "getBalance")
  Balance balance(Caller caller, @PathVariable String id) {
    visible(caller, id);
    return Balance.of(id, ledger.balance(LedgerAccount.user(id)), clock.instant());
  }

  @GetMapping("/{id}/charges")
  @Operation(summary = "What it was charged, latest first", operationId = "listCharges")
  ChargeList charges(
      Caller caller,
      @PathVariable String id,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit,
      @RequestParam(defaultValue = "") String snapt,
      @RequestParam(defaultValue = "") String application) {
    visible(caller, id);
    Page<Charge> page =
        Page.of(
            charges.page(
                id,
                Page.before(cursor),
                Page.limit(limit) + 1,
                Page.filter("snapt", snapt),
                Page.filter("application", application)),
            limit,
            Charge::id);
    return new ChargeList(page.items(), page.next());
  }

  @GetMapping("/{id}/postings")
  @Operation(summary = "What moved on it, latest first", operationId = "listPostings")
  PostingList postings(
      Caller caller,
      @PathVariable String id,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    visible(caller, id);
    // A transaction has at most a handful of lines on one account: 100 lines to a transaction.
    List<PostingView> rows =
        jdbc.query(
            "select p.transaction_id * 100 + p.line, t.id, t.kind, p.amount_microdenarii, t.posted_at, t.note"
                + " from posting p join ledger_transaction t on t.id = p.transaction_id"
                + " where p.account = ? and p.transaction_id <= ? / 100"
                + " and p.transaction_id * 100 + p.line < ?"
                + " order by p.transaction_id desc, p.line desc limit ?",
            (row, _) ->
                new PostingView(
                    row.getString(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    row.getTimestamp(5).toInstant(),
                    row.getString(6)),
            LedgerAccount.user(id).name(),
            Page.before(cursor),
            Page.before(cursor),
            Page.limit(limit) + 1);
    Page<PostingView> page = Page.of(rows, limit, PostingView::id);
    return new PostingList(page.items(), page.next());
  }

  @GetMapping(path = "/{id}/events", produces = "text/event-stream")
  @Operation(
      summary = "Server-sent events: 'balance' and 'charge' on every change",
      operationId = "streamEvents")
  SseEmitter events(Caller caller, @PathVariable String id) {
    visible(caller, id);
    return events.open(id, caller.expiresAt());
  }

  private Account visible(Caller caller, String id) {
    BearerCheck.requireOwn(caller, id);
    return accounts.find(id).orElseThrow(ProblemException::notFound);
  }
}
