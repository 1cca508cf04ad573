package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.statement.Statement;
import io.viaduct.billing.statement.Statements;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.YearMonth;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves the statement of an account for a month.
@RestController
@RequestMapping("/api/v1/accounts/{id}")
@Tag(name = "accounts")
class StatementsResource {
  private final Accounts accounts;
  private final Statements statements;
  private final InstantSource clock;

  StatementsResource(Accounts accounts, Statements statements, InstantSource clock) {
    this.accounts = accounts;
    this.statements = statements;
    this.clock = clock;
  }

  record MovementView(String kind, long count, String amountMicrodenarii) {}

  record DayChargesView(
      String day,
      String serviceClass,
      long count,
      String chargeMicrodenarii,
      String discountMicrodenarii,
      String accessFeeMicrodenarii,
      String surchargeMicrodenarii,
      String promiseRefundMicrodenarii,
      String netMicrodenarii) {
    static DayChargesView of(String day, String serviceClass, long count, BillLines lines) {
      return new DayChargesView(
          day,
          serviceClass,
          count,
          lines.charge().toString(),
          lines.discount().toString(),
          lines.accessFee().toString(),
          lines.surcharge().toString(),
          lines.refund().toString(),
          lines.net().toString());
    }
  }

  record StatementView(
      String account,
      String month,
      String zone,
      Instant from,
      Instant to,
      boolean whole,
      String openingMicrodenarii,
      List<MovementView> movements,
      List<DayChargesView> charges,
      DayChargesView total,
      String closingMicrodenarii) {}

  /// A line of the file.
  ///
  /// @param line opening, movement, charges, total or closing
  /// @param kind of a movement
  record StatementLine(
      String line,
      @Nullable String kind,
      @Nullable String day,
      @Nullable String serviceClass,
      @Nullable Long count,
      @Nullable String chargeMicrodenarii,
      @Nullable String discountMicrodenarii,
      @Nullable String accessFeeMicrodenarii,
      @Nullable String surchargeMicrodenarii,
      @Nullable String promiseRefundMicrodenarii,
      String balanceMicrodenarii) {
    static StatementLine of(String line, @Nullable String kind, @Nullable Long count, String sum) {
      return new StatementLine(line, kind, null, null, count, null, null, null, null, null, sum);
    }

    static StatementLine of(String line, DayChargesView row, String balance) {
      return new StatementLine(
          line,
          null,
          row.day().isEmpty() ? null : row.day(),
          row.serviceClass().isEmpty() ? null : row.serviceClass(),
          row.count(),
          row.chargeMicrodenarii(),
          row.discountMicrodenarii(),
          row.accessFeeMicrodenarii(),
          row.surchargeMicrodenarii(),
          row.promiseRefundMicrodenarii(),
          balance);
    }
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/statements/{month}")
  @Operation(
      summary =
          "What moved an account's balance in a month: credits by kind, charges by day and class",
      operationId = "getStatement")
  StatementView get(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @PathVariable String month,
      @RequestParam(defaultValue = "UTC") String zone) {
    return view(read(caller, id, month, zone));
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping(path = "/statements/{month}/lines.csv", produces = Csv.MEDIA_TYPE)
  @Operation(
      summary = "The same statement as a file, a line for each sum",
      operationId = "exportStatement",
      responses =
          @ApiResponse(
              responseCode = "200",
              description =
                  "CSV (RFC 4180); balanceMicrodenarii is what the line adds to the balance, or the"
                      + " balance itself in the lines opening and closing",
              content = @Content(mediaType = "text/csv", schema = @Schema(type = "string"))))
  void export(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @PathVariable String month,
      @RequestParam(defaultValue = "UTC") String zone,
      HttpServletResponse response)
      throws IOException {
    StatementView statement = view(read(caller, id, month, zone));
    Csv.send(
        response,
        "statement-" + id + "-" + statement.month(),
        StatementLine.class,
        _ -> new Page<>(lines(statement), null));
  }

  private static List<StatementLine> lines(StatementView statement) {
    List<StatementLine> lines = new ArrayList<>();
    lines.add(StatementLine.of("opening", null, null, statement.openingMicrodenarii()));
    for (MovementView movement : statement.movements()) {
      lines.add(
          StatementLine.of(
              "movement", movement.kind(), movement.count(), movement.amountMicrodenarii()));
    }
    for (DayChargesView row : statement.charges()) {
      lines.add(StatementLine.of("charges", row, negated(row.netMicrodenarii())));
    }
    lines.add(StatementLine.of("closing", null, null, statement.closingMicrodenarii()));
    return lines;
  }

  private static String negated(String amount) {
    return Long.toString(-Long.parseLong(amount));
  }

  private Statement read(Caller caller, String id, String month, String zone) {
    CallerAccess.visible(caller, accounts, id);
    ZoneId in = TimeRange.zone(zone);
    YearMonth wanted = month(month);
    Instant now = clock.instant();
    if (wanted.isAfter(YearMonth.from(now.atZone(in)))) {
      throw ProblemException.invalid("the month must have begun, got '" + month + "'");
    }
    Instant from = wanted.atDay(1).atStartOfDay(in).toInstant();
    if (statements.keptFrom().filter(from::isBefore).isPresent()) {
      throw ProblemException.notFound(); // its postings were dropped
    }
    return statements.of(id, wanted, in, now);
  }

  private static YearMonth month(String month) {
    try {
      if (month.matches("[0-9]{4}-[0-9]{2}")) {
        return YearMonth.parse(month);
      }
    } catch (DateTimeException _) {
      // told below
    }
    throw ProblemException.invalid("a month is written such as 2026-11, got '" + month + "'");
  }

  private static StatementView view(Statement statement) {
    return new StatementView(
        statement.account(),
        statement.month().toString(),
        statement.zone().getId(),
        statement.from(),
        statement.to(),
        statement.isWhole(),
        statement.opening().toString(),
        statement.movements().stream()
            .map(m -> new MovementView(m.kind(), m.count(), m.amount().toString()))
            .toList(),
        statement.charges().stream()
            .map(c -> DayChargesView.of(c.day().toString(), c.serviceClass(), c.count(), c.lines()))
            .toList(),
        DayChargesView.of(
            "",
            "",
            statement.charges().stream().mapToLong(Statement.DayCharges::count).sum(),
            statement.total()),
        statement.closing().toString());
  }
}
