package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.text.Amount;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Shows an account: balance, credit, caps and wallets.
@Command(
    name = "account",
    description = "Show an account: balance, credit, caps, how long it lasts, wallets.",
    mixinStandardHelpOptions = true,
    subcommands = EraseCommand.class,
    footer = {"", "Example:", "  denarii account alice"})
final class AccountCommand extends ReadingCall {
  @Parameters(arity = "0..1", paramLabel = "ACCOUNT", description = "default: your own")
  private @Nullable String account;

  @Override
  int run() throws IOException {
    String path = accountPath(account);
    BillingApi billing = billing();
    ObjectNode all = JsonMapper.shared().createObjectNode();
    all.set("account", billing.get(path));
    all.set("credit", billing.get(path + "/credit"));
    JsonNode wallets = billing.get(path + "/wallets");
    all.set("wallets", wallets.path("wallets"));
    all.set("allowanceMicrodenarii", wallets.path("allowanceMicrodenarii"));
    if (isJson()) {
      json(all);
    } else {
      print(all);
    }
    return 0;
  }

  private void print(JsonNode all) {
    PrintWriter out = out();
    JsonNode who = all.path("account");
    JsonNode credit = all.path("credit");
    out.printf(
        "%s (%s), %s, %s%n",
        who.path("id").asString(),
        who.path("displayName").asString(),
        who.path("role").asString(),
        who.path("state").asString());
    out.printf("Balance    %s%n", Amount.exact(credit.path("balanceMicrodenarii").asString()));
    out.printf(
        "Available  %s (credit limit %s, reserved %s)%n",
        Amount.exact(credit.path("availableMicrodenarii").asString()),
        Amount.exact(credit.path("limitMicrodenarii").asString()),
        Amount.exact(credit.path("reservedMicrodenarii").asString()));
    out.printf("Credit     %s%n", credit(credit));
    refused(credit);
    JsonNode caps = credit.path("caps");
    out.printf("Today      %s%n", spent(caps, "spentTodayMicrodenarii", "dayMicrodenarii"));
    out.printf("Month      %s%n", spent(caps, "spentThisMonthMicrodenarii", "monthMicrodenarii"));
    wallets(all);
  }

  private static String credit(JsonNode credit) {
    String state = credit.path("state").asString();
    String hour =
        Amount.rounded(
            credit
                .path("ratePerHourMicrodenarii")
                .asString(credit.path("spentLastHourMicrodenarii").asString()));
    return credit.path("lastsSeconds").isNumber()
        ? "%s; lasts %s at the present rate (%s per hour)"
            .formatted(state, Quantity.duration(credit.path("lastsSeconds").asLong()), hour)
        : state + "; nothing was charged today";
  }

  private void refused(JsonNode credit) {
    String why =
        switch (credit.path("refused").asString()) {
          case "credit" -> "the credit is used up; a top-up lets it pass";
          case "cap-day" ->
              "the cap for a day is reached; the next day (UTC) or a higher cap lets it pass";
          case "cap-month" ->
              "the cap for a month is reached; the next month (UTC) or a higher cap lets it pass";
          case "blocked" ->
              "the operator has blocked the account: " + credit.at("/block/reason").asString();
          case "suspended" -> "the operator has suspended the account";
          case "closed" -> "the account is closed";
          default -> "";
        };
    if (!why.isEmpty()) {
      out().printf("Refused    new traffic is refused: %s%n", why);
    }
  }

  private static String spent(JsonNode caps, String spent, String cap) {
    return "%s spent, %s (UTC)"
        .formatted(
            Amount.rounded(caps.path(spent).asString()),
            caps.path(cap).isString()
                ? "cap " + Amount.exact(caps.path(cap).asString())
                : "no cap");
  }

  private void wallets(JsonNode all) {
    if (all.path("allowanceMicrodenarii").isString()) {
      out()
          .printf(
              "Allowance  %s each month (UTC)%n",
              Amount.exact(all.path("allowanceMicrodenarii").asString()));
    }
    Table table = new Table("WALLET", ">LEFT", ">OF", "EXPIRES", "REASON");
    for (JsonNode wallet : all.path("wallets")) {
      table.row(
          wallet.path("kind").asString(),
          Amount.exact(wallet.path("restMicrodenarii").asString()),
          Amount.exact(wallet.path("amountMicrodenarii").asString()),
          Quantity.time(wallet.path("expiresAt").asString(), zone()),
          wallet.path("reason").asString());
    }
    table.print(out());
  }
}
