package io.viaduct.billing.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.settlement.UnsignedIntervals.Outcome;
import io.viaduct.billing.settlement.UnsignedIntervals.Verdict;
import io.viaduct.usage.v1.ReceiptRefusalReason;
import java.math.BigInteger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Lists posted intervals that no device has signed. When the device's time to sign is over, an
/// operator accepts or voids them.
@RestController
@RequestMapping("/api/v1/reports/unsigned")
@Tag(name = "operation")
class UnsignedResource {
  /// The reasons of devices for not signing.
  private static final List<String> REFUSALS =
      EnumSet.complementOf(
              EnumSet.of(
                  ReceiptRefusalReason.RECEIPT_REFUSAL_REASON_UNSPECIFIED,
                  ReceiptRefusalReason.UNRECOGNIZED))
          .stream()
          .map(Enum::name)
          .toList();

  private final UnsignedIntervals unsigned;
  private final ChargeListener listener;
  private final AnsweredRequests answered;
  private final InstantSource clock;

  UnsignedResource(
      UnsignedIntervals unsigned,
      ChargeListener listener,
      AnsweredRequests answered,
      InstantSource clock) {
    this.unsigned = unsigned;
    this.listener = listener;
    this.answered = answered;
    this.clock = clock;
  }

  /// An unsigned interval as the REST interface shows it.
  ///
  /// @param dueAt time from which an operator may decide
  /// @param refusal reason why the device did not sign: COUNTS_DIFFER, UNKNOWN_SESSION; absent if
  ///   it gave none
  /// @param deviceUpBytes bytes sent in the session by the device's own count at that time, or
  ///   absent
  /// @param deviceDownBytes bytes received in the session, likewise
  /// @param snaptBytes bytes of the session as the SNAPT reported them until the end of this
  ///   interval, both directions, or absent
  /// @param differenceBytes what the SNAPT has counted more than the device; below 0 for less
  record UnsignedInterval(
      String id,
      String snapt,
      String session,
      long epoch,
      long sequence,
      String account,
      Instant start,
      Instant end,
      Instant dueAt,
      @JsonProperty("due") boolean isDue,
      String preBytes,
      String chargeMicrodenarii,
      String discountMicrodenarii,
      @Nullable String refusal,
      @Nullable String deviceUpBytes,
      @Nullable String deviceDownBytes,
      @Nullable String snaptBytes,
      @Nullable String differenceBytes) {
    static UnsignedInterval of(UnsignedIntervals.Unsigned i, Instant now) {
      return new UnsignedInterval(
          Long.toString(i.id()),
          i.key().snapt(),
          i.key().session(),
          i.key().epoch(),
          i.key().sequence(),
          i.account(),
          i.startedAt(),
          i.endedAt(),
          i.dueAt(),
          !now.isBefore(i.dueAt()),
          Long.toString(i.preBytes()),
          i.lines().charge().toString(),
          i.lines().discount().toString(),
          i.refusal(),
          i.deviceUpBytes() == null ? null : Long.toUnsignedString(i.deviceUpBytes()),
          i.deviceDownBytes() == null ? null : Long.toUnsignedString(i.deviceDownBytes()),
          i.snaptBytes() == null ? null : Long.toString(i.snaptBytes()),
          difference(i));
    }

    private static @Nullable String difference(UnsignedIntervals.Unsigned i) {
      if (i.snaptBytes() == null || i.deviceUpBytes() == null || i.deviceDownBytes() == null) {
        return null;
      }
      BigInteger device =
          new BigInteger(Long.toUnsignedString(i.deviceUpBytes()))
              .add(new BigInteger(Long.toUnsignedString(i.deviceDownBytes())));
      return BigInteger.valueOf(i.snaptBytes()).subtract(device).toString();
    }
  }

  record UnsignedList(List<UnsignedInterval> unsigned, @Nullable String next) {}

  /// The result of a decision.
  ///
  /// @param outcome accepted or voided
  record Decided(String id, String outcome) {}

  @GetMapping
  @Operation(
      summary =
          "Intervals that no device has signed, latest first; by default those that are due for a decision",
      operationId = "listUnsigned")
  UnsignedList list(
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit,
      @RequestParam(defaultValue = "") String snapt,
      @RequestParam(defaultValue = "") String account,
      @RequestParam(defaultValue = "") String refusal,
      @RequestParam(defaultValue = "true") boolean due) {
    Instant now = clock.instant();
    UnsignedIntervals.Filter filter =
        new UnsignedIntervals.Filter(
            Page.filter("snapt", snapt),
            Page.filter("account", account),
            Page.word("refusal", refusal, REFUSALS));
    Page<UnsignedInterval> page =
        Page.byNumber(
                cursor,
                limit,
                (before, rows) -> unsigned.page(filter, due ? now : null, before, rows),
                UnsignedIntervals.Unsigned::id)
            .as(i -> UnsignedInterval.of(i, now));
    return new UnsignedList(page.items(), page.next());
  }

  @Refuses({ProblemType.NOT_FOUND})
  @GetMapping("/{id}")
  @Operation(summary = "One interval that no device has signed", operationId = "getUnsigned")
  UnsignedInterval get(@PathVariable String id) {
    return unsigned
        .find(OperatorDecision.id(id))
        .map(i -> UnsignedInterval.of(i, clock.instant()))
        .orElseThrow(ProblemException::notFound);
  }

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.ALREADY_DECIDED,
    ProblemType.NOT_DUE,
    ProblemType.IDEMPOTENCY_KEY_REUSED
  })
  @PostMapping("/{id}/accept")
  @Operation(
      summary = "Accept an interval as signed: it will be settled",
      operationId = "acceptUnsigned")
  Decided accept(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = PostedMoney.HEADER, required = false) @Nullable String key,
      @RequestBody OperatorDecision decision) {
    return decide(caller, id, Verdict.ACCEPTED, key, decision);
  }

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.ALREADY_DECIDED,
    ProblemType.NOT_DUE,
    ProblemType.IDEMPOTENCY_KEY_REUSED
  })
  @PostMapping("/{id}/void")
  @Operation(summary = "Void an interval: its charge is reversed", operationId = "voidUnsigned")
  Decided voidCharge(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = PostedMoney.HEADER, required = false) @Nullable String key,
      @RequestBody OperatorDecision decision) {
    return decide(caller, id, Verdict.VOIDED, key, decision);
  }

  private Decided decide(
      Caller caller, String id, Verdict verdict, @Nullable String key, OperatorDecision decision) {
    return answered.once(
        new AnsweredRequests.Request(key, caller, verdict + " " + id, decision),
        Decided.class,
        () -> decide(caller, id, verdict, decision));
  }

  private Decided decide(Caller caller, String id, Verdict verdict, OperatorDecision decision) {
    Outcome outcome =
        unsigned
            .decide(OperatorDecision.id(id), verdict, decision.toDecision(caller), clock.instant())
            .orElseThrow(ProblemException::notFound);
    return switch (outcome) {
      case Outcome.Done(String account, List<Long> charges) -> {
        listener.changed(account, charges);
        yield new Decided(id, verdict.name().toLowerCase(Locale.ROOT));
      }
      case Outcome.NotDue(Instant dueAt) ->
          throw new ProblemException(
              ProblemType.NOT_DUE, "interval " + id + " may be decided from " + dueAt + " on");
      case Outcome.Refunded _ ->
          throw new ProblemException(
              ProblemType.ALREADY_DECIDED,
              "charges of interval " + id + " were refunded: accept it, or refund the rest");
      case Outcome.NotUnsigned(var state) ->
          throw new ProblemException(
              ProblemType.ALREADY_DECIDED, "interval " + id + " is " + state.word());
    };
  }
}
