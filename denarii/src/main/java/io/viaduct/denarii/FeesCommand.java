package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Amount;
import io.viaduct.denarii.text.Period;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Shows what an owner of SNAPTs has earned.
@Command(
    name = "fees",
    description = {
      "Show what an owner of SNAPTs has earned by day (UTC) and SNAPT, latest day first: the last 31"
          + " days, or a time of 366 days at most."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii fees acme --from 2026-11-01"})
final class FeesCommand extends ReadingCall {
  @Parameters(arity = "0..1", paramLabel = "OWNER", description = "default: your own account")
  private @Nullable String owner;

  @Option(names = "--from", paramLabel = "TIME", description = "2026-11-01, or RFC 3339")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "its end, which is excluded")
  private @Nullable String to;

  @Override
  int run() throws IOException {
    String path = accountPath(owner).replaceFirst("^/accounts/", "/owners/") + "/fees";
    Map<String, String> query = new LinkedHashMap<>();
    query.put("from", from == null ? "" : Period.instant("--from", from, zone()).toString());
    query.put("to", to == null ? "" : Period.instant("--to", to, zone()).toString());
    BillingApi billing = billing();
    Stream<JsonNode> fees = Pages.of(billing, path, query, "fees");
    if (isJson()) {
      fees.forEach(this::jsonLine);
      return 0;
    }
    Table table = new Table("DAY (UTC)", "SNAPT", ">FEE", ">INTERVALS");
    fees.forEach(fee ->
        table.row(
            fee.path("day").asString(),
            fee.path("snapt").asString(),
            Amount.exact(fee.path("feeMicrodenarii").asString()),
            Long.toString(fee.path("intervals").asLong())));
    table.print(out());
    String earned = billing.get(path + "?limit=1").path("earnedMicrodenarii").asString();
    out().printf("earned until now: %s%n", Amount.exact(earned));
    return 0;
  }
}
