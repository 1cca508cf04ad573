package io.viaduct.denarii;

import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Amount;
import io.viaduct.denarii.text.Period;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/// Makes bills of a past time again under a corrected tariff, as an operator.
@Command(
    name = "rerate",
    description = "Make bills of a past time again under another tariff, as an operator.",
    mixinStandardHelpOptions = true,
    subcommands = {
      RerateCommand.Preview.class,
      RerateCommand.Run.class,
      RerateCommand.Stop.class,
      RerateCommand.Resume.class,
      RerateCommand.Show.class
    },
    footer = {"", "Example:", "  denarii rerate show november-fee"})
final class RerateCommand extends CommandGroup {
  /// The bills that are made again.
  static final class Scope {
    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(
        names = "--from",
        required = true,
        paramLabel = "TIME",
        description =
            "intervals that began at or after it: 2026-11-01 (its begin), 2026-11-01T20:00 or RFC 3339")
    private String from = "";

    @Option(
        names = "--to",
        required = true,
        paramLabel = "TIME",
        description = "intervals that began before it")
    private String to = "";

    @Option(names = "--account", paramLabel = "ID", description = "default: all accounts")
    private @Nullable String account;

    @Option(
        names = "--class",
        paramLabel = "CLASS",
        description = "HT_HD, HT_LD, LT_HD or LT_LD; default: all")
    private @Nullable String serviceClass;

    @Option(
        names = "--tariff",
        required = true,
        paramLabel = "VERSION",
        description = "version of the corrected tariff, from denarii tariff list")
    private int tariff;

    private Map<String, Object> body() {
      BillingCall call = (BillingCall) Objects.requireNonNull(spec).userObject();
      Map<String, Object> body = new LinkedHashMap<>();
      body.put("from", Period.instant("--from", from, call.zone()));
      body.put("to", Period.instant("--to", to, call.zone()));
      body.put("tariffVersion", tariff);
      if (account != null) {
        body.put("account", account);
      }
      if (serviceClass != null) {
        body.put("serviceClass", serviceClass);
      }
      return body;
    }
  }

  /// Shows what a run would change.
  @Command(
      name = "preview",
      description = "Show what a run would change: sums and the largest differences.",
      mixinStandardHelpOptions = true,
      footer = {
        "",
        "Example:",
        "  denarii rerate preview --from 2026-11-01 --to 2026-11-08 --tariff 4"
      })
  static final class Preview extends ReadingCall {
    private static final long STEP_NS = 1_000_000_000;

    @Mixin private Scope scope = new Scope();

    @Option(
        names = "--whole",
        description =
            "let billing rate the whole time in the background, however long it takes, and wait for it")
    private boolean isWhole;

    @Override
    int run() throws IOException {
      JsonNode answer =
          isWhole
              ? whole()
              : billing().send("POST", "/reratings/preview", scope.body(), Map.of()).body();
      if (isJson()) {
        json(answer);
      } else {
        print(answer);
      }
      return 0;
    }

    private JsonNode whole() throws IOException {
      JsonNode run = billing().send("POST", "/tariff-trials", scope.body(), Map.of()).body();
      while (run.path("state").asString().equals("running")) {
        LockSupport.parkNanos(STEP_NS);
        run = billing().get("/tariff-trials/" + Pages.encoded(run.path("id").asString()));
        if (!isJson()) {
          err().printf("rated until %s%n", Quantity.time(run.path("coveredTo").asString(), zone()));
        }
      }
      if (run.path("state").asString().equals("failed")) {
        throw new IOException("the trial failed: " + run.path("failure").asString());
      }
      return run.path("trial");
    }

    private void print(JsonNode answer) {
      Table bill = new Table("LINE", ">NOW", ">CORRECTED");
      for (List<String> line : ExplanationText.LINES) {
        bill.row(
            line.getFirst(),
            Amount.exact(answer.at("/total/before/" + line.get(1)).asString()),
            Amount.exact(answer.at("/total/after/" + line.get(1)).asString()));
      }
      bill.row(
          "paid, less caps",
          Amount.exact(answer.at("/total/paidBeforeMicrodenarii").asString()),
          Amount.exact(answer.at("/total/paidAfterMicrodenarii").asString()));
      bill.print(out());
      Table changes = new Table("ACCOUNT", ">PAID", ">CORRECTED");
      for (JsonNode change : answer.path("changes")) {
        changes.row(
            change.path("account").asString(),
            Amount.exact(change.path("paidBeforeMicrodenarii").asString()),
            Amount.exact(change.path("paidAfterMicrodenarii").asString()));
      }
      changes.print(out());
      if (!answer.path("complete").asBoolean()) {
        out()
            .printf(
                "Only the time until %s is in these sums: preview a shorter one, or add --whole.%n",
                Quantity.time(answer.path("coveredTo").asString(), zone()));
      }
    }
  }

  /// A command that answers with a run.
  abstract static class OneRun extends ReadingCall {
    /// Sends an action on a run, and shows the run as it is then.
    ///
    /// @param action last part of the path
    int act(String id, String action) throws IOException {
      String path = "/reratings/" + Pages.encoded(id) + "/" + action;
      return show(billing().send("POST", path, Map.of(), Map.of()).body());
    }

    int show(JsonNode run) {
      if (isJson()) {
        json(run);
      } else {
        out()
            .printf(
                "%s: %s, %d changed, %d the same, %d kept because of a refund, %d void, %d waiting%n",
                run.path("id").asString(),
                run.path("state").asString(),
                run.path("changed").asLong(),
                run.path("same").asLong(),
                run.path("refunded").asLong(),
                run.path("voided").asLong(),
                run.path("waiting").asLong());
        out()
            .printf(
                "users pay %s more%n",
                Amount.exact(run.at("/difference/netMicrodenarii").asString()));
        out()
            .printf(
                "caps gave back %s%n", Amount.exact(run.path("capCreditMicrodenarii").asString()));
        for (JsonNode kept : run.path("keptIntervals")) {
          out().printf("kept because of a refund: %s%n", kept.asString());
        }
      }
      return 0;
    }
  }

  /// Begins a run.
  @Command(
      name = "run",
      description = {
        "Begin a run. Billing posts the differences in the background; the same order with the same"
            + " id begins nothing."
      },
      mixinStandardHelpOptions = true,
      footer = {
        "",
        "Example:",
        "  denarii rerate run fees --from 2026-11-01 --to 2026-11-08 --tariff 4 --reason wrong-fees"
      })
  static final class Run extends OneRun {
    @Parameters(paramLabel = "ID", description = "a name for the run, such as november-fee")
    private String id = "";

    @Mixin private Scope scope = new Scope();

    @Option(
        names = "--reason",
        required = true,
        paramLabel = "TEXT",
        description = "shown to users with each new bill")
    private String reason = "";

    @Override
    int run() throws IOException {
      Map<String, Object> body = scope.body();
      body.put("reason", reason);
      return show(billing().send("PUT", "/reratings/" + Pages.encoded(id), body, Map.of()).body());
    }
  }

  /// Stops a run.
  @Command(
      name = "stop",
      description = "Stop a run. After the answer it posts nothing until it is resumed.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii rerate stop november-fee"})
  static final class Stop extends OneRun {
    @Parameters(paramLabel = "ID", description = "name of the run")
    private String id = "";

    @Override
    int run() throws IOException {
      return act(id, "stop");
    }
  }

  /// Resumes a run.
  @Command(
      name = "resume",
      description = "Resume a run where it was stopped.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii rerate resume november-fee"})
  static final class Resume extends OneRun {
    @Parameters(paramLabel = "ID", description = "name of the run")
    private String id = "";

    @Override
    int run() throws IOException {
      return act(id, "resume");
    }
  }

  /// Shows one run, or the latest ones.
  @Command(
      name = "show",
      description = "Show how far a run is, or the latest runs.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii rerate show november-fee"})
  static final class Show extends OneRun {
    @Parameters(paramLabel = "ID", arity = "0..1", description = "name of the run; default: all")
    private @Nullable String id;

    @Override
    int run() throws IOException {
      if (id != null) {
        return show(billing().get("/reratings/" + Pages.encoded(id)));
      }
      JsonNode list = billing().get("/reratings");
      if (isJson()) {
        json(list);
        return 0;
      }
      Table runs = new Table("ID", "STATE", ">CHANGED", ">WAITING", ">DIFFERENCE", "REASON");
      for (JsonNode run : list.path("reratings")) {
        runs.row(
            run.path("id").asString(),
            run.path("state").asString(),
            run.path("changed").asString(),
            run.path("waiting").asString(),
            Amount.exact(run.at("/difference/netMicrodenarii").asString()),
            run.path("reason").asString());
      }
      runs.print(out());
      return 0;
    }
  }
}
