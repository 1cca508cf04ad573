package io.viaduct.billingbench;

import io.viaduct.testbed.LaboratoryCommand;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.report.Report;
import io.viaduct.usage.v1.CreditRequestType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench credit-load`: grants per second, and how long a session waits for one, when all
/// sessions of many SNAPTs ask at once.
@Command(
    name = "viaduct bench credit-load",
    mixinStandardHelpOptions = true,
    description = "grants per second when all sessions of many SNAPTs ask at once")
public final class CreditLoadCommand implements Callable<Integer> {
  private static final String TITLE = "Credit control under load";

  @Option(names = "--rounds", description = "of each row (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(names = "--sessions", description = "that ask at once (default ${DEFAULT-VALUE})")
  private int sessions = 10_000;

  @Option(names = "--snapts", description = "streams to billing (default ${DEFAULT-VALUE})")
  private int snapts = 100;

  @Option(names = "--accounts", description = "of the sessions (default ${DEFAULT-VALUE})")
  private int accounts = 10_000;

  @Mixin private BenchOptions options = new BenchOptions();

  private record Line(String measure, String unit, double[] values) {}

  private static final Grid<Line> GRID =
      new Grid<Line>()
          .text("measure", "measure", Line::measure)
          .text("unit", "unit", Line::unit)
          .text("rounds", "rounds", line -> line.values().length)
          .rounds(
              "median",
              "median",
              line -> Median.of(Arrays.stream(line.values())) < 100 ? 2 : 0,
              Line::values);

  public static void main(String[] arguments) {
    System.exit(LaboratoryCommand.run(new CreditLoadCommand(), arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (rounds < 1 || sessions < 1 || snapts < 1 || accounts < 1) {
      throw new IllegalArgumentException(
          "--rounds, --sessions, --snapts and --accounts must be at least 1, got %d, %d, %d and %d"
              .formatted(rounds, sessions, snapts, accounts));
    }
    Path directory = options.output().resolve("credit-load");
    Files.createDirectories(directory);
    List<CreditLoad.Round> first = new ArrayList<>();
    List<CreditLoad.Round> later = new ArrayList<>();
    List<CreditLoad.Round> last = new ArrayList<>();
    try (MeasuredBilling billing =
        MeasuredBilling.start(options.root(), directory, BillingProcess.Times.WITHOUT_SETTLEMENT)) {
      billing.database().openAccounts(accounts);
      lend(billing);
      round(billing, new ArrayList<>(), new ArrayList<>(), new ArrayList<>()); // compiles
      for (int round = 1; round <= rounds; round++) {
        round(billing, first, later, last);
        System.err.printf("%d of %d%n", round, rounds);
      }
    }
    List<Line> lines = new ArrayList<>();
    lines.addAll(lines("first grants", first));
    lines.addAll(lines("further grants", later));
    lines.addAll(lines("ends", last));
    Report.of("credit-load", TITLE, conditions(), GRID, lines)
        .publish(System.out, options.output());
    return CommandLine.ExitCode.OK;
  }

  // A credit limit, because money would need a posting for each account.
  private static void lend(MeasuredBilling billing) throws IOException, SQLException {
    try (Connection connection = billing.database().connect();
        var statement = connection.createStatement()) {
      statement.executeUpdate(
          "update credit_account set credit_limit_microdenarii = 1000000000 where account like 'bench-%'");
    }
  }

  private void round(
      MeasuredBilling billing,
      List<CreditLoad.Round> first,
      List<CreditLoad.Round> later,
      List<CreditLoad.Round> last)
      throws InterruptedException {
    String run = UUID.randomUUID().toString().substring(0, 8);
    CreditLoad load = new CreditLoad(billing.bridge(), run, snapts, sessions, accounts);
    first.add(load.ask(CreditRequestType.INITIAL));
    later.add(load.ask(CreditRequestType.UPDATE));
    last.add(load.ask(CreditRequestType.TERMINATION));
  }

  private static List<Line> lines(String what, List<CreditLoad.Round> rounds) {
    return List.of(
        new Line(what, "per second", values(rounds, CreditLoad.Round::perSecond)),
        new Line(what + ", wait p50", "ms", values(rounds, round -> percentile(round, 50))),
        new Line(what + ", wait p99", "ms", values(rounds, round -> percentile(round, 99))));
  }

  private static double[] values(
      List<CreditLoad.Round> rounds, ToDoubleFunction<CreditLoad.Round> value) {
    return rounds.stream().mapToDouble(value).toArray();
  }

  private static double percentile(CreditLoad.Round round, int percent) {
    double[] sorted = round.waitsMs().clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.min(sorted.length - 1, (long) sorted.length * percent / 100)];
  }

  private Map<String, String> conditions() throws IOException {
    Map<String, String> conditions = new LinkedHashMap<>(options.conditions());
    conditions.put(
        "traffic",
        "%d sessions of %d accounts on %d streams, each asks when all have their answer; generator, billing and PostgreSQL on this machine"
            .formatted(sessions, accounts, snapts));
    return conditions;
  }
}
