package io.viaduct.billingbench;

import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.MeasuredRows;
import io.viaduct.testbed.report.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench billing`: rates of rating and posting, delays and read times, in databases of
/// several sizes, beside what the same PostgreSQL does by COPY and pgbench.
@Command(
    name = "viaduct bench billing",
    mixinStandardHelpOptions = true,
    description = "how much billing rates and posts, beside what its PostgreSQL can do at all")
public final class BillingBenchCommand implements Callable<Integer> {
  private static final String TITLE = "Billing under load";

  @Option(names = "--rounds", description = "of each row (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(
      names = "--sizes",
      split = ",",
      description = "flow intervals that are loaded before, ascending (default ${DEFAULT-VALUE})")
  private List<Long> sizes = List.of(100_000L, 1_000_000L, 10_000_000L);

  @Option(
      names = "--reports",
      description = "that are posted in a round (default ${DEFAULT-VALUE})")
  private int reports = 2_560;

  @Option(names = "--flows", description = "of each report (default ${DEFAULT-VALUE})")
  private int flows = 20;

  @Option(names = "--accounts", description = "that are charged (default ${DEFAULT-VALUE})")
  private int accounts = 1_000;

  @Option(names = "--requests", description = "of each page in a round (default ${DEFAULT-VALUE})")
  private int requests = 1_000;

  @Option(names = "--resume", description = "go on with the run that was interrupted")
  private boolean isResumed;

  @Mixin private BenchOptions options = new BenchOptions();

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new BillingBenchCommand()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Scale scale = new Scale(rounds, sizes, reports, flows, accounts, requests);
    Path data = options.output().resolve("billing");
    MeasuredRows rows = MeasuredRows.open(data.resolve("rows.jsonl"), scale.settings(), isResumed);
    new BillingRounds(scale, rows, options.root(), data, isResumed).run();
    Report.of("billing", TITLE, conditions(scale), BillingTable.GRID, BillingTable.of(rows, sizes))
        .without(missing())
        .publish(System.out, options.output());
    return CommandLine.ExitCode.OK;
  }

  private Map<String, String> conditions(Scale scale) throws Exception {
    Map<String, String> conditions = options.conditions();
    conditions.put(
        "traffic",
        "%d requests in flight, at most %d reports each; generator, billing and PostgreSQL on this machine"
            .formatted(4, GeneratedReports.REQUEST_REPORTS));
    conditions.put("file system", Files.getFileStore(options.output()).type());
    scale.settings().forEach(conditions::putIfAbsent);
    return conditions;
  }

  private static Map<String, String> missing() {
    Map<String, String> missing = new LinkedHashMap<>();
    missing.put("reports over Kafka", "this benchmark has no broker yet");
    missing.put("three instances", "needs the partitions of Kafka");
    missing.put("CGRateS", "not built here yet");
    if (Pgbench.program().isEmpty()) {
      missing.put("pgbench", "is not installed");
    }
    return missing;
  }
}
