package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/// Shows what operators have changed.
@Command(
    name = "audit",
    description = "Show what operators have changed, latest first, as an operator or auditor.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii audit --about alice --limit 20"})
final class AuditCommand extends ReadingCall {
  @Option(names = "--by", paramLabel = "ACCOUNT", description = "only of this operator")
  private String by = "";

  @Option(
      names = "--about",
      paramLabel = "TEXT",
      description = "only about this account, or with this text in the path of the request")
  private String about = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "most entries (default: ${DEFAULT-VALUE})")
  private int limit = 50;

  @Option(names = "--csv", description = "print all as CSV, a line for each changed row")
  private boolean csv;

  @Override
  int run() throws IOException {
    Map<String, String> filter = Map.of("account", by, "about", about);
    BillingApi billing = billing();
    if (csv) {
      try (InputStream in = billing.open(Pages.path("/audit.csv", filter));
          Reader text = new InputStreamReader(in, StandardCharsets.UTF_8)) {
        var unused = text.transferTo(out());
      }
      out().flush();
      return 0;
    }
    Stream<JsonNode> entries = Pages.of(billing, "/audit", filter, "entries").limit(limit);
    if (isJson()) {
      entries.forEach(this::jsonLine);
    } else {
      print(entries);
    }
    return 0;
  }

  private void print(Stream<JsonNode> entries) {
    Table table = new Table("TIME", "BY", "OPERATION", "STATUS", "PATH", "CHANGES");
    entries.forEach(entry ->
        table.row(
            Quantity.time(entry.path("at").asString(), zone()),
            entry.path("account").asString(),
            entry.path("operation").asString(),
            entry.path("status").isNull() ? "-" : Integer.toString(entry.path("status").asInt()),
            entry.path("path").asString(),
            changes(entry.path("changes"))));
    table.print(out());
  }

  /// Returns the changed columns of each row, such as `account: state active → suspended`.
  private static String changes(JsonNode changes) {
    StringBuilder text = new StringBuilder();
    for (JsonNode change : changes) {
      text.append(text.isEmpty() ? "" : "; ").append(change.path("table").asString()).append(':');
      JsonNode before = change.path("before");
      JsonNode after = change.path("after");
      TreeSet<String> columns = new TreeSet<>(before.propertyNames());
      columns.addAll(after.propertyNames());
      for (String column : columns) {
        if (!before.path(column).equals(after.path(column))) {
          text.append(' ').append(column).append(' ');
          text.append(before.path(column).asString("")).append(" → ");
          text.append(after.path(column).asString(""));
        }
      }
    }
    return text.toString();
  }
}
