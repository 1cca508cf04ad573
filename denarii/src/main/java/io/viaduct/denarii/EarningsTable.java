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
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/// A command that shows earnings on traffic by day (UTC) and SNAPT, latest day first.
abstract class EarningsTable extends ReadingCall {
  @Option(names = "--from", paramLabel = "TIME", description = "2026-11-01, or RFC 3339")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "its end, which is excluded")
  private @Nullable String to;

  /// Prints the list at a path, and the sum until now.
  ///
  /// @param list name of the list in the answer
  /// @param amount name of the amount of its lines
  /// @param heading of the amounts
  int show(String path, String list, String amount, String heading) throws IOException {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("from", from == null ? "" : Period.instant("--from", from, zone()).toString());
    query.put("to", to == null ? "" : Period.instant("--to", to, zone()).toString());
    BillingApi billing = billing();
    Stream<JsonNode> lines = Pages.of(billing, path, query, list);
    if (isJson()) {
      lines.forEach(this::jsonLine);
      return 0;
    }
    Table table = new Table("DAY (UTC)", "SNAPT", heading, ">INTERVALS");
    lines.forEach(line ->
        table.row(
            line.path("day").asString(),
            line.path("snapt").asString(),
            Amount.exact(line.path(amount).asString()),
            Long.toString(line.path("intervals").asLong())));
    table.print(out());
    String earned = billing.get(path + "?limit=1").path("earnedMicrodenarii").asString();
    out().printf("earned until now: %s%n", Amount.exact(earned));
    return 0;
  }
}
