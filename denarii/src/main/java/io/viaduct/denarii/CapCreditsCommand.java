package io.viaduct.denarii;

import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Amount;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Lists what the caps of an hour or a day gave back.
@Command(
    name = "cap-credits",
    description = {
      "List what an account paid above the cap of an hour of an application, or of a day (UTC), and"
          + " got back, latest first. With --json each is one line."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii cap-credits alice"})
final class CapCreditsCommand extends ReadingCall {
  @Parameters(arity = "0..1", paramLabel = "ACCOUNT", description = "default: your own")
  private @Nullable String account;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "at most so many; 0 for all (default: ${DEFAULT-VALUE})")
  private int limit = 50;

  @Override
  int run() throws IOException {
    if (limit < 0) {
      throw new IllegalArgumentException("--limit must be 0 or more, got " + limit);
    }
    Stream<JsonNode> all =
        Pages.of(billing(), accountPath(account) + "/cap-credits", Map.of(), "capCredits");
    Stream<JsonNode> credits = limit == 0 ? all : all.limit(limit);
    if (isJson()) {
      credits.forEach(this::jsonLine);
      return 0;
    }
    Table table = new Table("BEGIN", "SPAN", "APPLICATION", ">PAID", ">CAP", ">GIVEN BACK");
    credits.forEach(credit ->
        table.row(
            Quantity.time(credit.path("begin").asString(), zone()),
            credit.path("span").asString(),
            credit.path("application").isString() ? credit.path("application").asString() : "-",
            Amount.exact(credit.path("paidMicrodenarii").asString()),
            Amount.exact(credit.path("limitMicrodenarii").asString()),
            Amount.exact(credit.path("amountMicrodenarii").asString())));
    table.print(out());
    return 0;
  }
}
