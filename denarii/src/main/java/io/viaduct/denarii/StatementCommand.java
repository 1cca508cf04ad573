package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Amount;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.YearMonth;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Shows the statement of a month.
@Command(
    name = "statement",
    description = {
      "Show what moved the balance of an account in a month: opening balance, credits by kind,"
          + " charges by day and class, closing balance. Days are those of your time zone."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii statement --month 2026-11"})
final class StatementCommand extends ReadingCall {
  @Parameters(arity = "0..1", paramLabel = "ACCOUNT", description = "default: your own")
  private @Nullable String account;

  @Option(names = "--month", paramLabel = "YYYY-MM", description = "default: this month")
  private String month = "";

  @Option(names = "--csv", description = "print CSV, a line for each sum")
  private boolean csv;

  @Override
  int run() throws IOException {
    String wanted =
        month.isEmpty()
            ? YearMonth.from(surroundings().clock().instant().atZone(zone())).toString()
            : month;
    // A zone without a region, such as an offset, has no days that billing could know.
    String zone = zone().getId().contains("/") ? zone().getId() : "UTC";
    String path = accountPath(account) + "/statements/" + Pages.encoded(wanted);
    BillingApi billing = billing();
    if (csv) {
      try (InputStream in = billing.open(Pages.path(path + "/lines.csv", Map.of("zone", zone)));
          Reader text = new InputStreamReader(in, StandardCharsets.UTF_8)) {
        var unused = text.transferTo(out());
      }
      out().flush();
      return 0;
    }
    JsonNode statement = billing.get(Pages.path(path, Map.of("zone", zone)));
    if (isJson()) {
      json(statement);
    } else {
      print(statement);
    }
    return 0;
  }

  private void print(JsonNode statement) {
    out()
        .printf(
            "%s, %s (time zone %s)%s%n",
            statement.path("account").asString(),
            statement.path("month").asString(),
            statement.path("zone").asString(),
            statement.path("whole").asBoolean()
                ? ""
                : ", until " + Quantity.time(statement.path("to").asString(), zone()));
    Table sums = new Table("", ">AMOUNT");
    sums.row("opening balance", Amount.exact(statement.path("openingMicrodenarii").asString()));
    for (JsonNode movement : statement.path("movements")) {
      sums.row(
          movement.path("kind").asString().toLowerCase(java.util.Locale.ROOT).replace('_', ' ')
              + " ("
              + movement.path("count").asLong()
              + ")",
          Amount.exact(movement.path("amountMicrodenarii").asString()));
    }
    long charged = Long.parseLong(statement.at("/total/netMicrodenarii").asString());
    sums.row("charges", Amount.exact(Long.toString(-charged)));
    sums.row("closing balance", Amount.exact(statement.path("closingMicrodenarii").asString()));
    sums.print(out());
    Table days =
        new Table(
            "DAY", "CLASS", ">CHARGES", ">CHARGE", ">DISCOUNT", ">FEES", ">REFUND", ">TO PAY");
    for (JsonNode row : statement.path("charges")) {
      days.row(
          row.path("day").asString(),
          row.path("serviceClass").asString().replace('_', '&'),
          Long.toString(row.path("count").asLong()),
          Amount.exact(row.path("chargeMicrodenarii").asString()),
          Amount.exact(row.path("discountMicrodenarii").asString()),
          Amount.exact(
              Long.toString(
                  Long.parseLong(row.path("accessFeeMicrodenarii").asString())
                      + Long.parseLong(row.path("surchargeMicrodenarii").asString()))),
          Amount.exact(row.path("promiseRefundMicrodenarii").asString()),
          Amount.exact(row.path("netMicrodenarii").asString()));
    }
    days.print(out());
  }
}
