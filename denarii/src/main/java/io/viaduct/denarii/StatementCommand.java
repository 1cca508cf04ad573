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
import java.nio.file.Path;
import java.time.DateTimeException;
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
          + " charges by day and class, closing balance. Days are those of your time zone.",
      "--signed gives the receipt of each movement instead, for 'denarii verify-statement'; its days"
          + " are those of UTC, and without --month it has all of them."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii statement --signed --out alice.jsonl"})
final class StatementCommand extends ReadingCall {
  @Parameters(arity = "0..1", paramLabel = "ACCOUNT", description = "default: your own")
  private @Nullable String account;

  @Option(names = "--month", paramLabel = "YYYY-MM", description = "default: this month")
  private String month = "";

  @Option(names = "--csv", description = "print CSV, a line for each sum")
  private boolean csv;

  @Option(names = "--signed", description = "print the receipts of the movements, signed")
  private boolean signed;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "with --signed: file to write, which must not exist (default: standard output)")
  private @Nullable Path file;

  @Override
  int run() throws IOException {
    return signed ? receipts() : sums();
  }

  private int receipts() throws IOException {
    Map<String, String> range =
        month.isEmpty()
            ? Map.of()
            : Map.of("from", month().atDay(1).toString(), "to", month().atEndOfMonth().toString());
    String path = Pages.path(accountPath(account) + "/receipts", range);
    BillingApi billing = billing();
    try (InputStream in = billing.open(path)) {
      if (file == null) {
        var unused = new InputStreamReader(in, StandardCharsets.UTF_8).transferTo(out());
        out().flush();
      } else {
        WholeFile.write(file, out -> in.transferTo(out));
      }
    }
    return 0;
  }

  private YearMonth month() {
    try {
      return YearMonth.parse(month);
    } catch (DateTimeException _) {
      throw new IllegalArgumentException(
          "--month must be a month such as 2026-11, got '" + month + "'");
    }
  }

  private int sums() throws IOException {
    if (file != null) {
      throw new IllegalArgumentException("--out needs --signed");
    }
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
