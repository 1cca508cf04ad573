package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.wallet.Grants;
import io.viaduct.billing.wallet.Wallet;
import io.viaduct.billing.wallet.Wallets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Serves wallets: money that expires, which operators grant and charges draw first.
@RestController
@RequestMapping("/api/v1/accounts/{id}")
@Tag(name = "accounts")
class WalletsResource {
  private static final int REASON_LENGTH_MAX = 256;

  private final Accounts accounts;
  private final Wallets wallets;
  private final Grants grants;
  private final AnsweredRequests answered;
  private final AccountBroadcast events;
  private final InstantSource clock;

  WalletsResource(
      Accounts accounts,
      Wallets wallets,
      Grants grants,
      AnsweredRequests answered,
      AccountBroadcast events,
      InstantSource clock) {
    this.accounts = accounts;
    this.wallets = wallets;
    this.grants = grants;
    this.answered = answered;
    this.events = events;
    this.clock = clock;
  }

  record NewGrant(String amountMicrodenarii, Instant expiresAt, String reason) {
    NewGrant {
      JsonBody.require("amountMicrodenarii", amountMicrodenarii);
      JsonBody.require("expiresAt", expiresAt);
      JsonBody.require("reason", reason);
    }
  }

  record NewAllowance(String amountMicrodenarii) {
    NewAllowance {
      JsonBody.require("amountMicrodenarii", amountMicrodenarii);
    }
  }

  record WalletView(
      String id,
      String account,
      String kind,
      String amountMicrodenarii,
      String restMicrodenarii,
      Instant grantedAt,
      Instant expiresAt,
      String reason) {
    static WalletView of(Wallet wallet) {
      return new WalletView(
          Long.toString(wallet.id()),
          wallet.account(),
          wallet.kind().name().toLowerCase(Locale.ROOT),
          wallet.amount().toString(),
          wallet.rest().toString(),
          wallet.grantedAt(),
          wallet.expiresAt(),
          wallet.reason());
    }
  }

  record WalletList(
      List<WalletView> wallets, @Nullable String next, @Nullable String allowanceMicrodenarii) {}

  record Allowance(String account, String allowanceMicrodenarii) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/wallets")
  @Operation(
      summary = "Wallets of an account, first those that charges draw first, last the expired ones",
      operationId = "listWallets")
  WalletList list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "100") int limit) {
    CallerAccess.visible(caller, accounts, id);
    String scope = "wallets\n" + id;
    long[] seen = Cursor.key(scope, 3, cursor);
    Page<Wallet> page =
        Page.of(
            wallets.page(id, seen == null ? null : place(seen), Page.limit(limit) + 1),
            limit,
            last ->
                Cursor.after(
                    scope,
                    last.isExpired() ? 1 : 0,
                    ChronoUnit.MICROS.between(Instant.EPOCH, last.expiresAt()),
                    last.id()));
    return new WalletList(
        page.items().stream().map(WalletView::of).toList(), page.next(), granted(id));
  }

  private static Wallets.Place place(long[] key) {
    return new Wallets.Place(key[0] == 1, Instant.EPOCH.plus(key[1], ChronoUnit.MICROS), key[2]);
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.IDEMPOTENCY_KEY_REUSED})
  @PostMapping("/grants")
  @Operation(
      summary = "Grant money that expires, as an operator; once for each Idempotency-Key",
      operationId = "grant",
      responses = {
        @ApiResponse(responseCode = "201", description = "Granted"),
        @ApiResponse(responseCode = "200", description = "The same was granted before")
      })
  ResponseEntity<WalletView> grant(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(PostedMoney.HEADER) String key,
      @RequestBody NewGrant wanted) {
    if (wanted.reason().isBlank()) {
      throw ProblemException.invalid("reason must say why, in 1 to 256 characters: it is empty");
    }
    if (!wanted.expiresAt().isAfter(clock.instant())) {
      throw ProblemException.invalid("expiresAt must be in the future");
    }
    Grants.Wanted grant =
        new Grants.Wanted(
            PostedMoney.key(key),
            id,
            PostedMoney.amount(wanted.amountMicrodenarii(), TopUps.MICRODENARII_MAX),
            wanted.expiresAt(),
            PlainText.require("reason", wanted.reason(), REASON_LENGTH_MAX),
            caller.account());
    CallerAccess.visible(caller, accounts, id);
    return switch (grants.grant(grant, clock.instant())) {
      case Grants.Result.Granted(Wallet granted) -> {
        events.changed(id, List.of());
        yield ResponseEntity.status(HttpStatus.CREATED).body(WalletView.of(granted));
      }
      case Grants.Result.AlreadyGranted(Wallet granted) ->
          ResponseEntity.ok(WalletView.of(granted));
      case Grants.Result.KeyTaken _ ->
          throw PostedMoney.reused(key, "account, amount, expiry or reason");
    };
  }

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.IDEMPOTENCY_KEY_REUSED,
    ProblemType.VERSION_REQUIRED,
    ProblemType.CHANGED_MEANWHILE
  })
  @Tagged
  @PutMapping("/allowance")
  @Operation(
      summary =
          "Set what an account is granted each month (UTC), as an operator; it expires at the month's end",
      description =
          "Without If-Match it sets an allowance where there is none. With If-Match, the ETag of the"
              + " allowance, it replaces that.",
      operationId = "setAllowance")
  ResponseEntity<Allowance> allow(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = PostedMoney.HEADER, required = false) @Nullable String key,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version,
      @RequestBody NewAllowance wanted) {
    CallerAccess.visible(caller, accounts, id);
    MicroDenarii amount = PostedMoney.amount(wanted.amountMicrodenarii(), TopUps.MICRODENARII_MAX);
    Long known = version == null ? null : EntityTag.required(version);
    // A delayed repetition must not undo what was set after it.
    SetAllowance set =
        answered.onceTogether(
            new AnsweredRequests.Request(key, caller, "allowance " + id, wanted),
            SetAllowance.class,
            () ->
                new SetAllowance(
                    new Allowance(id, amount.toString()),
                    grants
                        .allow(id, amount, known, caller.account(), clock.instant())
                        .orElseThrow(() -> changed(id, known))));
    events.changed(id, List.of());
    return ResponseEntity.ok().eTag(EntityTag.of(set.version())).body(set.allowance());
  }

  record SetAllowance(Allowance allowance, long version) {}

  private ProblemException changed(String id, @Nullable Long known) {
    if (known == null) {
      return new ProblemException(
          ProblemType.VERSION_REQUIRED,
          "the account has an allowance: send the header If-Match with its ETag to replace it");
    }
    return new ProblemException(
        ProblemType.CHANGED_MEANWHILE,
        grants.allowance(id).isEmpty()
            ? "the allowance has been ended since: set it without If-Match"
            : "the allowance has been set again since: read it again");
  }

  @Refuses(ProblemType.NOT_FOUND)
  @Tagged
  @GetMapping("/allowance")
  @Operation(summary = "What an account is granted each month (UTC)", operationId = "getAllowance")
  ResponseEntity<Allowance> allowance(
      @AuthenticationPrincipal Caller caller, @PathVariable String id) {
    CallerAccess.visible(caller, accounts, id);
    Grants.Allowance allowed = grants.allowance(id).orElseThrow(() -> ProblemException.notFound());
    return ResponseEntity.ok()
        .eTag(EntityTag.of(allowed.version()))
        .body(new Allowance(id, allowed.amount().toString()));
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.VERSION_REQUIRED, ProblemType.CHANGED_MEANWHILE})
  @DeleteMapping("/allowance")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "End the monthly grants of an account, as an operator; this month's stays",
      description = "If-Match must have the ETag of the allowance.",
      operationId = "endAllowance")
  void disallow(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version) {
    CallerAccess.visible(caller, accounts, id);
    long known = EntityTag.required(version);
    if (!grants.disallow(id, known)) {
      throw grants.allowance(id).isEmpty()
          ? ProblemException.notFound()
          : new ProblemException(
              ProblemType.CHANGED_MEANWHILE,
              "the allowance has been set again since: read it again");
    }
  }

  private @Nullable String granted(String id) {
    return grants.allowance(id).map(allowed -> allowed.amount().toString()).orElse(null);
  }
}
