package io.viaduct.billing.rest;

import io.micrometer.core.instrument.MeterRegistry;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.voucher.VoucherBatch;
import io.viaduct.billing.voucher.VoucherCode;
import io.viaduct.billing.voucher.VoucherGuesses;
import io.viaduct.billing.voucher.Vouchers;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TrustedProxies;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves vouchers: an operator makes and takes back batches, a user redeems a code.
@RestController
@RequestMapping("/api/v1")
@Tag(name = "vouchers")
class VouchersResource {
  private static final int NOTE_LENGTH_MAX = 256;
  private static final int TYPED_LENGTH_MAX = 64;
  private static final Duration VALID_MAX = Duration.ofDays(3660);

  /// Effect of a code.
  enum Outcome {
    REDEEMED,
    REPEATED,
    UNKNOWN,
    USED,
    EXPIRED,
    RETURNED,
    THROTTLED
  }

  private final Accounts accounts;
  private final Vouchers vouchers;
  private final VoucherGuesses guesses;
  private final TrustedProxies proxies;
  private final AnsweredRequests answered;
  private final AccountBroadcast events;
  private final InstantSource clock;
  private final LabelledCounters<Outcome> outcomes;

  VouchersResource(
      Accounts accounts,
      Vouchers vouchers,
      VoucherGuesses guesses,
      TrustedProxies proxies,
      AnsweredRequests answered,
      AccountBroadcast events,
      InstantSource clock,
      MeterRegistry registry) {
    this.accounts = accounts;
    this.vouchers = vouchers;
    this.guesses = guesses;
    this.proxies = proxies;
    this.answered = answered;
    this.events = events;
    this.clock = clock;
    outcomes =
        LabelledCounters.register(
            registry,
            "viaduct_voucher_codes",
            "Codes of vouchers that users sent, by outcome",
            "outcome",
            Outcome.class);
  }

  record NewVouchers(
      int count, String amountMicrodenarii, Instant expiresAt, @Nullable String note) {
    NewVouchers {
      JsonBody.require("amountMicrodenarii", amountMicrodenarii);
      JsonBody.require("expiresAt", expiresAt);
    }
  }

  record VoucherBatchView(
      String id,
      int count,
      String amountMicrodenarii,
      Instant expiresAt,
      String note,
      String createdBy,
      Instant createdAt,
      int open,
      int redeemed,
      int expired,
      int returned) {
    static VoucherBatchView of(VoucherBatch batch) {
      return new VoucherBatchView(
          Long.toString(batch.id()),
          batch.vouchers(),
          batch.amount().toString(),
          batch.expiresAt(),
          batch.note(),
          batch.madeBy(),
          batch.madeAt(),
          batch.open(),
          batch.redeemed(),
          batch.expired(),
          batch.returned());
    }
  }

  record PrintedVoucher(String serial, String code) {
    @Override
    public String toString() {
      return "PrintedVoucher[serial=" + serial + "]";
    }
  }

  record MadeVouchers(VoucherBatchView batch, List<PrintedVoucher> vouchers) {}

  record VoucherBatchList(List<VoucherBatchView> batches, @Nullable String next) {}

  record VoucherReturn(String reason) {
    VoucherReturn {
      JsonBody.require("reason", reason);
    }
  }

  record NewRedemption(String code) {
    NewRedemption {
      JsonBody.require("code", code);
    }

    @Override
    public String toString() {
      return "NewRedemption[]";
    }
  }

  record RedeemedVoucher(
      String transaction, String account, String serial, String amountMicrodenarii) {}

  @Refuses({ProblemType.IDEMPOTENCY_KEY_REUSED})
  @PostMapping("/vouchers")
  @Operation(
      summary = "Make vouchers, as an operator, and post their sale; once for each Idempotency-Key",
      description =
          "The codes are told only once: billing keeps their digests. If the answer was lost, take"
              + " the batch back and make another one.",
      operationId = "makeVouchers",
      responses = {
        @ApiResponse(responseCode = "201", description = "Made"),
        @ApiResponse(
            responseCode = "200",
            description = "The same were made before; without their codes")
      })
  ResponseEntity<MadeVouchers> make(
      @AuthenticationPrincipal Caller caller,
      @RequestHeader(PostedMoney.HEADER) String key,
      @RequestBody NewVouchers wanted) {
    Instant now = clock.instant();
    if (wanted.count() < 1 || wanted.count() > Vouchers.VOUCHERS_MAX) {
      throw ProblemException.invalid(
          "count must be 1 to %d, got %d".formatted(Vouchers.VOUCHERS_MAX, wanted.count()));
    }
    if (!wanted.expiresAt().isAfter(now) || wanted.expiresAt().isAfter(now.plus(VALID_MAX))) {
      throw ProblemException.invalid(
          "expiresAt must be after now and within ten years, got " + wanted.expiresAt());
    }
    MicroDenarii amount =
        PostedMoney.amount(
            wanted.amountMicrodenarii(), TopUps.MICRODENARII_MAX / Vouchers.VOUCHERS_MAX);
    String note = wanted.note() == null ? "" : wanted.note();
    Vouchers.Wanted batch =
        new Vouchers.Wanted(
            PostedMoney.key(key),
            wanted.count(),
            amount,
            wanted.expiresAt(),
            PlainText.require("note", note, NOTE_LENGTH_MAX),
            caller.account());
    return switch (vouchers.make(batch, now)) {
      case Vouchers.Made.Fresh(VoucherBatch made, List<VoucherCode> codes) ->
          ResponseEntity.status(HttpStatus.CREATED)
              .body(new MadeVouchers(VoucherBatchView.of(made), printed(made, codes)));
      case Vouchers.Made.Before(VoucherBatch made) ->
          ResponseEntity.ok(new MadeVouchers(VoucherBatchView.of(made), List.of()));
      case Vouchers.Made.KeyTaken _ ->
          throw PostedMoney.reused(key, "count, amount, expiry or note");
    };
  }

  private static List<PrintedVoucher> printed(VoucherBatch batch, List<VoucherCode> codes) {
    return IntStream.range(0, codes.size())
        .mapToObj(
            i -> new PrintedVoucher(VoucherBatch.serial(batch.id(), i + 1), codes.get(i).printed()))
        .toList();
  }

  @GetMapping("/vouchers")
  @Operation(
      summary = "Batches of vouchers, latest first, without their codes",
      operationId = "listVouchers")
  VoucherBatchList list(
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    Page<VoucherBatchView> page =
        Page.latestFirst("vouchers", cursor, limit, vouchers::page, VoucherBatch::id)
            .as(VoucherBatchView::of);
    return new VoucherBatchList(page.items(), page.next());
  }

  @Refuses({ProblemType.NOT_FOUND})
  @GetMapping("/vouchers/{id}")
  @Operation(summary = "One batch of vouchers, without its codes", operationId = "getVouchers")
  VoucherBatchView get(@PathVariable String id) {
    return vouchers
        .find(OperatorDecision.id(id))
        .map(VoucherBatchView::of)
        .orElseThrow(ProblemException::notFound);
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.IDEMPOTENCY_KEY_REUSED})
  @PostMapping("/vouchers/{id}/return")
  @Operation(
      summary = "Take back the vouchers of a batch that are still open, as an operator",
      operationId = "returnVouchers")
  VoucherBatchView takeBack(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = PostedMoney.HEADER, required = false) @Nullable String key,
      @RequestBody VoucherReturn wanted) {
    if (wanted.reason().isBlank()) {
      throw ProblemException.invalid("reason must say why, in 1 to 256 characters: it is empty");
    }
    String reason = PlainText.require("reason", wanted.reason(), NOTE_LENGTH_MAX);
    return answered.onceTogether(
        new AnsweredRequests.Request(key, caller, "return " + id, wanted),
        VoucherBatchView.class,
        () ->
            vouchers
                .takeBack(OperatorDecision.id(id), caller.account(), reason, clock.instant())
                .map(VoucherBatchView::of)
                .orElseThrow(ProblemException::notFound));
  }

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.VOUCHER_UNKNOWN,
    ProblemType.VOUCHER_ENDED,
    ProblemType.TOO_MANY_ATTEMPTS,
    ProblemType.IDEMPOTENCY_KEY_REUSED
  })
  @PostMapping("/accounts/{id}/redemptions")
  @Operation(
      summary = "Redeem a voucher; its code is redeemed once, whoever sends it",
      operationId = "redeemVoucher",
      responses = {
        @ApiResponse(responseCode = "201", description = "Redeemed"),
        @ApiResponse(responseCode = "200", description = "The account had redeemed it before")
      })
  ResponseEntity<RedeemedVoucher> redeem(
      @AuthenticationPrincipal Caller caller,
      HttpServletRequest request,
      @PathVariable String id,
      @RequestHeader(name = PostedMoney.HEADER, required = false) @Nullable String key,
      @RequestBody NewRedemption wanted) {
    CallerAccess.visible(caller, accounts, id);
    RedeemedVoucher before =
        answered.known(
            new AnsweredRequests.Request(key, caller, "redeem " + id, wanted),
            RedeemedVoucher.class);
    if (before != null) {
      outcomes.increment(Outcome.REPEATED);
      return ResponseEntity.ok(before);
    }
    Vouchers.Redemption.Posted posted = redeem(caller, request, id, wanted.code());
    RedeemedVoucher redeemed =
        answered.once(
            new AnsweredRequests.Request(key, caller, "redeem " + id, wanted),
            RedeemedVoucher.class,
            () ->
                new RedeemedVoucher(
                    Long.toString(posted.transactionId()),
                    id,
                    posted.serial(),
                    posted.amount().toString()));
    if (posted.isNew()) {
      events.changed(id, List.of());
    }
    return ResponseEntity.status(posted.isNew() ? HttpStatus.CREATED : HttpStatus.OK)
        .body(redeemed);
  }

  private Vouchers.Redemption.Posted redeem(
      Caller caller, HttpServletRequest request, String account, String typed) {
    SourceNetwork source =
        SourceNetwork.of(proxies.visitor(request.getRemoteAddr(), request::getHeaders));
    Optional<Duration> wait = guesses.admit(caller.account(), source);
    if (wait.isPresent()) {
      outcomes.increment(Outcome.THROTTLED);
      throw new ProblemException(
          ProblemType.TOO_MANY_ATTEMPTS,
          "too many unknown codes: wait %d s".formatted(wait.get().toSeconds() + 1),
          wait.get());
    }
    Optional<VoucherCode> code =
        typed.length() > TYPED_LENGTH_MAX ? Optional.empty() : VoucherCode.parse(typed);
    Vouchers.Redemption redemption =
        code.isEmpty()
            ? new Vouchers.Redemption.Unknown()
            : vouchers.redeem(code.get(), account, clock.instant());
    if (!(redemption instanceof Vouchers.Redemption.Unknown)) {
      guesses.codeExists(caller.account(), source);
    }
    return switch (redemption) {
      case Vouchers.Redemption.Posted posted -> {
        outcomes.increment(posted.isNew() ? Outcome.REDEEMED : Outcome.REPEATED);
        yield posted;
      }
      case Vouchers.Redemption.Unknown _ ->
          throw refused(
              Outcome.UNKNOWN,
              ProblemType.VOUCHER_UNKNOWN,
              code.isEmpty()
                  ? "a code has 20 letters and digits, such as 7KQ2M-0XW9T-H3B4C-N8PRD: compare it with the voucher"
                  : "no voucher has this code: compare it with the voucher");
      case Vouchers.Redemption.Used(String serial) ->
          throw refused(
              Outcome.USED,
              ProblemType.VOUCHER_ENDED,
              "voucher %s was redeemed by another account: ask the one who sold it"
                  .formatted(serial));
      case Vouchers.Redemption.Expired(String serial, Instant at) ->
          throw refused(
              Outcome.EXPIRED,
              ProblemType.VOUCHER_ENDED,
              "voucher %s expired at %s: ask the one who sold it".formatted(serial, at));
      case Vouchers.Redemption.Returned(String serial) ->
          throw refused(
              Outcome.RETURNED,
              ProblemType.VOUCHER_ENDED,
              "voucher %s was taken back by the operator: ask the one who sold it"
                  .formatted(serial));
    };
  }

  private ProblemException refused(Outcome outcome, ProblemType type, String detail) {
    outcomes.increment(outcome);
    return new ProblemException(type, detail);
  }
}
