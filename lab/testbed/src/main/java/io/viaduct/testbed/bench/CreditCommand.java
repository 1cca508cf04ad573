package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.CreditRounds.Round;
import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.demo.Retry;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.report.Verdict;
import io.viaduct.testbed.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench credit`: what is carried beyond the credit of an account, and how soon a top-up
/// and a block arrive, with all services as in production.
@Command(
    name = "credit",
    mixinStandardHelpOptions = true,
    description = "what is carried beyond a credit, and how soon a top-up and a block arrive")
final class CreditCommand implements Callable<Integer> {
  private static final String TITLE = "Credit control";
  private static final double OVERSHOOT_SECONDS_MAX = 1;
  private static final double TOP_UP_MS_MAX = 1_000;
  private static final int UNLIMITED = 0;
  private static final double NO_GOAL = 0;
  private static final long SEED = 20_260_101;
  private static final long CHECK = 3_000_000; // in micro-denarii, for the check of the peer
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Option(names = "--rounds", description = "at each rate (default ${DEFAULT-VALUE})")
  private int rounds = 100;

  @Option(
      names = "--rates",
      split = ",",
      description = "of the line in Mbit/s, 0 for no limit (default: 20, 100 and 0)")
  private List<Integer> rates = List.of(20, 100, UNLIMITED);

  @Mixin private BenchOptions options = new BenchOptions();

  /// All rounds of one measure at one rate.
  record Line(String rate, String measure, double[] values, double goal, String unit) {
    Optional<Verdict> verdict() {
      return goal > 0
          ? Optional.of(Verdict.atMost(goal, unit, Statistic.P99.of(values)))
          : Optional.empty();
    }
  }

  private static final Grid<Line> GRID =
      new Grid<Line>()
          .text("line", "rate", Line::rate)
          .text("measure", "measure", Line::measure)
          .text("rounds", "rounds", line -> line.values().length)
          .number("p50", "p50", 2, line -> Statistic.P50.of(line.values()))
          .number("p99", "p99", 2, line -> Statistic.P99.of(line.values()))
          .number("worst", "worst", 2, line -> Statistic.WORST.of(line.values()))
          .member("values", Line::values)
          .goal("goal (p99)", "goal", Line::verdict);

  @Override
  public Integer call() throws Exception {
    if (rounds < 1) {
      throw new IllegalArgumentException("--rounds is %d: it must be at least 1".formatted(rounds));
    }
    List<Line> lines = new ArrayList<>();
    try (BenchEnvironment environment = BenchEnvironment.open(options);
        Peer viaduct = environment.viaduct("").credit(CHECK)) {
      var unused = RunningPeers.start(environment.network(), List.of(viaduct));
      // The check of the peer may have used nearly all.
      BillingClient operator = operator(environment);
      operator.topUp(CreditRounds.ACCOUNT, CreditRounds.FIRST, "credit");
      // One connection for everything: no cut breaks it.
      try (var download = environment.download(viaduct, UNLIMITED, SEED)) {
        var credit = new CreditRounds(environment, operator, download, System::nanoTime);
        for (int rate : rates) {
          lines.addAll(measure(environment, credit, rate));
        }
      }
      Map<String, String> conditions = environment.conditions();
      conditions.put("traffic", "one TCP download of text; the line is limited by tbf");
      conditions.put("tariff", "the shipped one; a round has credit for about 4 s");
      Report.of("credit", TITLE, conditions, GRID, lines).publish(System.out, options.output());
    }
    return 0;
  }

  private List<Line> measure(BenchEnvironment environment, CreditRounds credit, int megabit)
      throws Exception {
    String rate = megabit == UNLIMITED ? "no limit" : megabit + " Mbit/s";
    if (megabit != UNLIMITED) {
      environment.network().shape(megabit + "mbit");
    }
    List<Round> done = new ArrayList<>();
    try {
      credit.calibrate();
      for (int round = 1; round <= rounds; round++) {
        done.add(credit.run());
        System.err.printf(Locale.ROOT, "%s: %d of %d: %s%n", rate, round, rounds, done.getLast());
      }
    } finally {
      if (megabit != UNLIMITED) {
        environment.network().unshape();
      }
    }
    return List.of(
        new Line(
            rate,
            "carried beyond the credit, s",
            values(done, Round::overshootSeconds),
            OVERSHOOT_SECONDS_MAX,
            "s"),
        line(rate, "top-up until the SNAPT carries, ms", done, Round::snaptMs, TOP_UP_MS_MAX),
        line(rate, "top-up until the device knows, ms", done, Round::deviceMs, TOP_UP_MS_MAX),
        line(rate, "top-up until the next byte, ms", done, Round::firstByteMs, NO_GOAL),
        line(rate, "block until the SNAPT refuses, ms", done, Round::blockedMs, TOP_UP_MS_MAX),
        line(
            rate,
            "end of the block until the SNAPT carries, ms",
            done,
            Round::liftedMs,
            TOP_UP_MS_MAX));
  }

  private static Line line(
      String rate, String measure, List<Round> done, ToDoubleFunction<Round> value, double goal) {
    return new Line(rate, measure, values(done, value), goal, "ms");
  }

  private static double[] values(List<Round> done, ToDoubleFunction<Round> value) {
    return done.stream().mapToDouble(value).toArray();
  }

  private static BillingClient operator(BenchEnvironment environment) throws Exception {
    String address = "http://%s:%d".formatted(Topology.CONTROL, Plans.BILLING_REST_PORT);
    return new BillingClient(address, new Retry(PATIENCE, System::nanoTime))
        .logIn("operator", environment.passwords().operator());
  }
}
