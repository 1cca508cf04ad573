package io.viaduct.billingbench;

import io.viaduct.testbed.LaboratoryCommand;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.MeasuredRows;
import io.viaduct.testbed.report.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  @Option(
      names = "--cores",
      description =
          "share of one core that each instance gets when one is compared with three (default ${DEFAULT-VALUE})")
  private double cores = 0.2;

  @Option(
      names = "--sustained",
      paramLabel = "MINUTES",
      description =
          "of posting at half of the measured rate, with settlement as shipped, once; 0 for none (default ${DEFAULT-VALUE})")
  private int sustained = 10;

  @Option(
      names = "--month",
      description =
          "flow intervals of a month that is dropped, once; 0 for none (default ${DEFAULT-VALUE})")
  private long month = 1_000_000;

  @Option(
      names = "--cgr-engine",
      description = "CGRateS's program (default: that on the search path)")
  private Optional<Path> engine = Optional.empty();

  @Option(
      names = "--cgrates-data",
      description = "CGRateS's shared files (default ${DEFAULT-VALUE})")
  private Path cgratesData = CgratesInstallation.PACKAGED_DATA;

  @Option(names = "--resume", description = "go on with the run that was interrupted")
  private boolean isResumed;

  @Mixin private BenchOptions options = new BenchOptions();

  public static void main(String[] arguments) {
    System.exit(LaboratoryCommand.run(new BillingBenchCommand(), arguments));
  }

  @Override
  public Integer call() throws Exception {
    Scale scale =
        new Scale(rounds, sizes, reports, flows, accounts, requests, cores, sustained, month);
    Path data = options.output().resolve("billing");
    MeasuredRows rows = MeasuredRows.open(data.resolve("rows.jsonl"), scale.settings(), isResumed);
    Optional<CgratesInstallation> cgrates = CgratesInstallation.find(engine, cgratesData);
    new BillingRounds(scale, rows, options.root(), data, isResumed, cgrates).run();
    Report.of("billing", TITLE, conditions(scale), BillingTable.GRID, BillingTable.of(rows, sizes))
        .without(missing(cgrates.isPresent()))
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

  private static Map<String, String> missing(boolean hasCgrates) {
    Map<String, String> missing = new LinkedHashMap<>();
    if (!QueueRounds.obstacle().isEmpty()) {
      missing.put("three instances", QueueRounds.obstacle());
    }
    if (!hasCgrates) {
      missing.put(
          "CGRateS",
          "is not installed; its documentation says \"50000+ req/sec\" without saying of what (cgrates.readthedocs.io, Overview, Features)");
    }
    if (Pgbench.program().isEmpty()) {
      missing.put("pgbench", "is not installed");
    }
    return missing;
  }
}
