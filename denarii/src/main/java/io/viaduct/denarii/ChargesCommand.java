package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Amount;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Lists charges, oldest of the chosen ones first, and follows new ones.
@Command(
    name = "charges",
    description = {
      "List the latest charges that fit every filter, the latest at the end.",
      "With --json each charge is one line."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii charges --month 2026-11 --application web"})
final class ChargesCommand extends ReadingCall {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int SHOWN_MAX = 10_000;

  @Parameters(arity = "0..1", paramLabel = "ACCOUNT", description = "default: your own")
  private @Nullable String account;

  @Mixin private ChargeFilter filter = new ChargeFilter();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "at most so many; 0 for all (default: ${DEFAULT-VALUE})")
  private int limit = 50;

  @Option(
      names = "--follow",
      description =
          "then print each charge when it is posted or changes, until Ctrl-C; without filters")
  private boolean follow;

  /// The latest charges that were printed, by their ids: billing may tell one twice.
  private final Map<String, JsonNode> shown =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, JsonNode> eldest) {
          return size() > SHOWN_MAX;
        }
      };

  @Override
  int run() throws IOException {
    if (limit < 0) {
      throw new IllegalArgumentException("--limit must be 0 or more, got " + limit);
    }
    var query = filter.query(zone());
    if (follow && query.values().stream().anyMatch(value -> !value.isEmpty())) {
      throw new IllegalArgumentException("--follow shows all new charges: leave out the filters");
    }
    String path = accountPath(account);
    BillingApi billing = billing();
    // Opened first, so that no charge is missed between list and stream.
    if (follow) {
      try (BufferedReader events =
          new BufferedReader(
              new InputStreamReader(billing.open(path + "/events"), StandardCharsets.UTF_8))) {
        List<JsonNode> listed = list(billing, path, query);
        print(listed);
        listed.forEach(this::isNews);
        follow(events);
      }
    } else {
      print(list(billing, path, query));
    }
    return 0;
  }

  private List<JsonNode> list(BillingApi billing, String path, Map<String, String> query) {
    var rows = Pages.of(billing, path + "/charges", query, "charges");
    List<JsonNode> charges = new ArrayList<>((limit == 0 ? rows : rows.limit(limit)).toList());
    return charges.reversed();
  }

  private void print(List<JsonNode> charges) {
    if (isJson()) {
      charges.forEach(this::jsonLine);
      return;
    }
    if (charges.isEmpty()) {
      out().println("no charge fits");
    }
    table(charges).print(out());
  }

  private Table table(List<JsonNode> charges) {
    Table table =
        new Table(
            ">CHARGE",
            "BEGIN",
            "APPLICATION",
            "CLASS",
            "LINK",
            ">BYTES",
            ">RATE",
            ">DELAY",
            ">LOSS",
            ">COST",
            ">DISCOUNT",
            "STATE",
            "PASSED BY",
            "PAID BY");
    charges.forEach(charge -> table.row(cells(charge)));
    return table;
  }

  private String[] cells(JsonNode charge) {
    return new String[] {
      charge.path("id").asString(),
      Quantity.time(charge.path("start").asString(), zone()),
      charge.path("application").asString(),
      charge.path("serviceClass").asString().replace('_', '&'),
      charge.path("link").asString("-"),
      Quantity.bytes(Long.parseLong(charge.path("preBytes").asString())),
      Quantity.rate(charge.path("throughputKbitPerSecond").asDouble()),
      Amount.number(charge.path("delayMs").asDouble()) + " ms",
      Amount.number(100 * charge.path("loss").asDouble()) + " %",
      Amount.rounded(charge.path("netMicrodenarii").asString()),
      Amount.rounded(charge.path("discountMicrodenarii").asString()),
      charge.path("state").asString(),
      charge.path("passedBy").asString("-"),
      charge.path("paidBy").asString("").isEmpty() ? "-" : charge.path("paidBy").asString()
    };
  }

  // An event is an "event:" and a "data:" line (WHATWG HTML, section 9.2); other lines keep alive.
  private void follow(BufferedReader events) {
    String name = "";
    try {
      for (String line = events.readLine(); line != null; line = events.readLine()) {
        if (line.startsWith("event:")) {
          name = line.substring("event:".length()).strip();
        } else if (line.startsWith("data:") && name.equals("charge")) {
          JsonNode charge = JSON.readTree(line.substring("data:".length()));
          if (isNews(charge)) {
            followed(charge);
          }
        } else if (line.isEmpty()) {
          name = "";
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    err().println("denarii: the stream has ended with the log-in, or because billing stopped");
  }

  private boolean isNews(JsonNode charge) {
    return !charge.equals(shown.put(charge.path("id").asString(), charge));
  }

  private void followed(JsonNode charge) {
    if (isJson()) {
      jsonLine(charge);
    } else {
      out().println(String.join("  ", cells(charge)));
      out().flush();
    }
  }
}
