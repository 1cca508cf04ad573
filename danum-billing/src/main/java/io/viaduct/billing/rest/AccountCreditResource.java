package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.credit.AccountCredit;
import io.viaduct.billing.credit.CreditBlocks;
import io.viaduct.billing.credit.CreditRules;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.wallet.Wallets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/// Serves what an account may spend: its credit, the limit and the block that an operator sets, and
/// the caps that the user sets. An entity tag protects them from two writers.
@RestController
@RequestMapping("/api/v1/accounts/{id}/credit")
@Tag(name = "accounts")
class AccountCreditResource {
  private static final int REASON_MAX = 256;

  /// Most wallets that the estimate of the lasting credit looks at.
  private static final int WALLETS_MAX = 1000;

  private final Accounts accounts;
  private final CreditRules rules;
  private final CreditBlocks blocks;
  private final Wallets wallets;
  private final RunningTraffic running;
  private final BillingConfiguration configuration;
  private final InstantSource clock;

  AccountCreditResource(
      Accounts accounts,
      CreditRules rules,
      CreditBlocks blocks,
      Wallets wallets,
      RunningTraffic running,
      BillingConfiguration configuration,
      InstantSource clock) {
    this.accounts = accounts;
    this.rules = rules;
    this.blocks = blocks;
    this.wallets = wallets;
    this.running = running;
    this.configuration = configuration;
    this.clock = clock;
  }

  record CapsView(
      @Nullable String dayMicrodenarii,
      @Nullable String monthMicrodenarii,
      String spentTodayMicrodenarii,
      String spentThisMonthMicrodenarii) {}

  /// @param refused why new traffic is refused now: `none`, `credit`, `cap-day`, `cap-month`,
  ///   `blocked`, `suspended` or `closed`
  /// @param block the operator's block; null while there is none
  record AccountCreditView(
      String account,
      String state,
      String refused,
      @Nullable BlockView block,
      String balanceMicrodenarii,
      String limitMicrodenarii,
      String reservedMicrodenarii,
      String availableMicrodenarii,
      CapsView caps,
      @Nullable String lowMicrodenarii,
      String spentLastHourMicrodenarii,
      String ratePerHourMicrodenarii,
      @Nullable Long lastsSeconds) {}

  record NewLimit(String limitMicrodenarii) {
    NewLimit {
      JsonBody.require("limitMicrodenarii", limitMicrodenarii);
    }
  }

  record NewBlock(boolean blocked, String reason) {
    NewBlock {
      JsonBody.require("reason", reason);
    }
  }

  record NewAlert(@Nullable String lowMicrodenarii) {}

  record NewCaps(@Nullable String dayMicrodenarii, @Nullable String monthMicrodenarii) {}

  @Refuses(ProblemType.NOT_FOUND)
  @Tagged
  @GetMapping
  @Operation(
      summary = "Credit of an account: what is reserved, what is available, how long it lasts",
      operationId = "getCredit")
  ResponseEntity<AccountCreditView> get(
      @AuthenticationPrincipal Caller caller, @PathVariable String id) {
    CallerAccess.visible(caller, accounts, id);
    return view(id);
  }

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.CONFIGURED_OPERATOR,
    ProblemType.VERSION_REQUIRED,
    ProblemType.CHANGED_MEANWHILE
  })
  @Tagged
  @PutMapping("/limit")
  @Operation(
      summary = "Set how far the balance may go below zero, as an operator",
      operationId = "setCreditLimit")
  ResponseEntity<AccountCreditView> limit(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version,
      @RequestBody NewLimit wanted) {
    CallerAccess.visible(caller, accounts, id);
    if (configuration.diameter().hasCredit()) {
      throw new ProblemException(
          ProblemType.CONFIGURED_OPERATOR,
          "the charging system grants the credit of accounts (diameter.ro): change it there");
    }
    MicroDenarii limit = amount("limitMicrodenarii", wanted.limitMicrodenarii());
    requireUnchanged(rules.limit(id, EntityTag.required(version), limit));
    return view(id);
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.VERSION_REQUIRED, ProblemType.CHANGED_MEANWHILE})
  @Tagged
  @PutMapping("/alert")
  @Operation(
      summary =
          "Set the credit below which to be told; without the key it is the operator's threshold",
      operationId = "setAlert")
  ResponseEntity<AccountCreditView> alert(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version,
      @RequestBody NewAlert wanted) {
    CallerAccess.visible(caller, accounts, id);
    MicroDenarii low =
        wanted.lowMicrodenarii() == null
            ? null
            : amount("lowMicrodenarii", wanted.lowMicrodenarii());
    requireUnchanged(rules.alert(id, EntityTag.required(version), low));
    return view(id);
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.VERSION_REQUIRED, ProblemType.CHANGED_MEANWHILE})
  @Tagged
  @PutMapping("/caps")
  @Operation(
      summary = "Set the most to spend per day and month (UTC); without a key there is no such cap",
      operationId = "setSpendingCaps")
  ResponseEntity<AccountCreditView> caps(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version,
      @RequestBody NewCaps wanted) {
    CallerAccess.visible(caller, accounts, id);
    AccountCredit.Caps caps =
        new AccountCredit.Caps(
            wanted.dayMicrodenarii() == null
                ? null
                : amount("dayMicrodenarii", wanted.dayMicrodenarii()),
            wanted.monthMicrodenarii() == null
                ? null
                : amount("monthMicrodenarii", wanted.monthMicrodenarii()));
    requireUnchanged(rules.caps(id, EntityTag.required(version), caps));
    return view(id);
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.VERSION_REQUIRED, ProblemType.CHANGED_MEANWHILE})
  @Tagged
  @PutMapping("/block")
  @Operation(
      summary = "Block an account or lift its block, as an operator",
      description =
          "A blocked account may register, and its sessions stay, but they get no quotas. The change"
              + " is pushed to its sessions at once.",
      operationId = "blockAccount")
  ResponseEntity<AccountCreditView> block(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version,
      @RequestBody NewBlock wanted) {
    CallerAccess.visible(caller, accounts, id);
    if (wanted.reason().isBlank()) {
      throw ProblemException.invalid("reason must say why, in 1 to 256 characters: it is empty");
    }
    requireUnchanged(
        blocks.decide(
            id,
            EntityTag.required(version),
            new CreditBlocks.Decision(
                wanted.blocked(),
                PlainText.require("reason", wanted.reason().strip(), REASON_MAX),
                caller.account(),
                clock.instant())));
    return view(id);
  }

  private static void requireUnchanged(boolean isUnchanged) {
    if (!isUnchanged) {
      throw new ProblemException(
          ProblemType.CHANGED_MEANWHILE,
          "limit, caps, threshold or block have changed since: read them again");
    }
  }

  private static MicroDenarii amount(String key, String text) {
    if (!text.matches("[0-9]{1,16}") || Long.parseLong(text) > TopUps.MICRODENARII_MAX) {
      throw ProblemException.invalid(
          key + " must be a whole number from 0 to " + TopUps.MICRODENARII_MAX);
    }
    return new MicroDenarii(Long.parseLong(text));
  }

  private ResponseEntity<AccountCreditView> view(String id) {
    Instant now = clock.instant();
    AccountCredit credit = rules.find(id, now).orElseThrow(ProblemException::notFound);
    MicroDenarii lastHour = rules.spentInLastHour(id, now);
    long perHour = LastingCredit.perHour(lastHour, perMinute(id, now), credit.spentToday(), now);
    return ResponseEntity.ok()
        .eTag(EntityTag.of(credit.rulesVersion()))
        .body(
            new AccountCreditView(
                id,
                credit.state().name().toLowerCase(Locale.ROOT),
                credit.refusal().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                credit.access() == AccountCredit.Access.BLOCKED
                    ? blocks.latest(id).map(BlockView::of).orElse(null)
                    : null,
                credit.balance().toString(),
                credit.limit().toString(),
                credit.reserved().toString(),
                credit.available().toString(),
                new CapsView(
                    text(credit.caps().day()),
                    text(credit.caps().month()),
                    credit.spentToday().toString(),
                    credit.spentThisMonth().toString()),
                text(credit.low()),
                lastHour.toString(),
                Long.toString(Math.max(0, perHour)),
                perHour <= 0
                    ? null
                    : LastingCredit.seconds(
                        credit, wallets.page(id, null, WALLETS_MAX), perHour, now)));
  }

  private static @Nullable String text(@Nullable MicroDenarii amount) {
    return amount == null ? null : amount.toString();
  }

  // The cost of an application per minute is known from its first report on.
  private MicroDenarii perMinute(String id, Instant now) {
    return running.of(id, now).stream()
        .map(RunningTraffic.Running::perMinuteMicrodenarii)
        .filter(Objects::nonNull)
        .map(cost -> new MicroDenarii(Long.parseLong(cost)))
        .reduce(MicroDenarii.ZERO, MicroDenarii::plus);
  }
}
