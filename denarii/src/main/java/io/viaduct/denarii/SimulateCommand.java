package io.viaduct.denarii;

import io.viaduct.denarii.document.TariffFile;
import io.viaduct.denarii.text.Amount;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Shows what a charge would have been under other circumstances.
@Command(
    name = "simulate",
    description = {
      "Show what the report of a charge would have cost. Options change its application; what is"
          + " left out stays as it was measured. Nothing is stored."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii simulate 4711 --delay 300 --without-aggregation"})
final class SimulateCommand extends ReadingCall {
  @Parameters(paramLabel = "CHARGE", description = "number of the charge, from denarii charges")
  private String charge = "";

  @Option(names = "--without-aggregation", description = "as if nothing had been saved")
  private boolean withoutAggregation;

  @Option(
      names = "--through",
      paramLabel = "SNAPT",
      description =
          "another relay: its owner's surcharge, and delay and loss of your latest charges through it")
  private @Nullable String through;

  @Option(names = "--delay", paramLabel = "MS", description = "one-way delay, milliseconds")
  private @Nullable Double delayMs;

  @Option(names = "--loss", paramLabel = "RATIO", description = "share of packets lost, 0 to 1")
  private @Nullable Double loss;

  @Option(names = "--throughput", paramLabel = "KBIT", description = "what the path offers, kbit/s")
  private @Nullable Double throughput;

  @Option(names = "--tariff", paramLabel = "FILE", description = "draft of a tariff, YAML or JSON")
  private @Nullable Path tariff;

  @Override
  int run() throws IOException {
    Map<String, Object> wanted = new LinkedHashMap<>();
    wanted.put("charge", charge);
    wanted.put("withoutAggregation", withoutAggregation);
    put(wanted, "throughSnapt", through);
    put(wanted, "delayMs", delayMs);
    put(wanted, "loss", loss);
    put(wanted, "throughputKbitPerSecond", throughput);
    put(wanted, "tariff", tariff == null ? null : TariffFile.read(tariff));
    JsonNode answer = billing().send("POST", "/rating/simulate", wanted, Map.of()).body();
    if (isJson()) {
      json(answer);
    } else {
      print(answer);
    }
    return 0;
  }

  private static void put(Map<String, Object> wanted, String key, @Nullable Object value) {
    if (value != null) {
      wanted.put(key, value);
    }
  }

  private void print(JsonNode answer) {
    Table flows = new Table(">CHARGE", "APPLICATION", ">DELAY", ">LOSS", ">WOULD COST");
    for (JsonNode flow : answer.path("flows")) {
      flows.row(
          flow.path("charge").asString(),
          flow.path("application").asString(),
          Amount.number(flow.at("/inputs/delayMs").asDouble()) + " ms",
          Amount.number(100 * flow.at("/inputs/loss").asDouble()) + " %",
          Amount.exact(flow.at("/bill/netMicrodenarii").asString()));
    }
    flows.print(out());
    Table bill = new Table("REPORT", ">POSTED", ">SIMULATED");
    for (List<String> line : ExplanationText.LINES) {
      bill.row(
          line.getFirst(),
          Amount.exact(answer.at("/posted/" + line.get(1)).asString()),
          Amount.exact(answer.at("/bill/" + line.get(1)).asString()));
    }
    bill.print(out());
  }
}
