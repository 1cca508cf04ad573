package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.document.AccountFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Imports accounts from a CSV file.
@Command(
    name = "import",
    description = {
      "Make accounts from a CSV file (RFC 4180, UTF-8) with a header line, as an operator. Columns:"
          + " id, and of choice name, role (default: user) and password. An account without a"
          + " password gets one by 'denarii reset'. The whole file is checked before anything is"
          + " made. An account that is there already stays as it is, so the command may be"
          + " repeated."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii import people.csv --check"})
final class ImportCommand extends ReadingCall {
  /// Accounts of one request: with a password for each it takes billing some seconds.
  private static final int AT_ONCE = 100;

  @Parameters(paramLabel = "FILE", description = "CSV")
  private Path file = Path.of("");

  @Option(names = "--check", description = "check the file only, and make nothing")
  private boolean check;

  @Override
  int run() throws IOException {
    List<AccountFile.Line> lines = AccountFile.read(file);
    BillingApi billing = billing();
    Map<String, Integer> outcomes = new LinkedHashMap<>();
    for (int from = 0; from < lines.size(); from += AT_ONCE) {
      List<AccountFile.Line> batch = lines.subList(from, Math.min(lines.size(), from + AT_ONCE));
      JsonNode answer =
          billing
              .send("POST", "/accounts/imports", Map.of("accounts", batch, "check", true), Map.of())
              .body();
      if (check) {
        count(answer, outcomes);
      }
    }
    for (int from = 0; !check && from < lines.size(); from += AT_ONCE) {
      List<AccountFile.Line> batch = lines.subList(from, Math.min(lines.size(), from + AT_ONCE));
      count(
          billing
              .send(
                  "POST", "/accounts/imports", Map.of("accounts", batch, "check", false), Map.of())
              .body(),
          outcomes);
    }
    print(lines.size(), outcomes);
    return 0;
  }

  private static void count(JsonNode answer, Map<String, Integer> outcomes) {
    for (JsonNode each : answer.path("accounts")) {
      outcomes.merge(each.path("outcome").asString(), 1, Integer::sum);
    }
  }

  private void print(int lines, Map<String, Integer> outcomes) {
    if (isJson()) {
      ObjectNode all = JsonMapper.shared().createObjectNode().put("lines", lines);
      outcomes.forEach(all::put);
      json(all);
      return;
    }
    out().printf("%d accounts in %s%n", lines, file);
    outcomes.forEach((outcome, number) ->
        out().printf("  %d %s%s%n", number, check ? "would be " : "", outcome));
  }
}
