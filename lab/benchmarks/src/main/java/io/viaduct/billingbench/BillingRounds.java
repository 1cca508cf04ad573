package io.viaduct.billingbench;

import io.viaduct.testbed.report.MeasuredRows;
import io.viaduct.testbed.report.Median;
import io.viaduct.usage.v1.SubmitRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;

/// Measures the rows round by round. Each size has a database of its own, which is loaded by
/// posting reports as in production. A resumed run loads what is missing and measures the missing
/// rounds.
final class BillingRounds {
  private static final long SEED = 20_260_101;
  private static final double RATING_SECONDS = 5;
  private static final int PGBENCH_SECONDS = 10;
  private static final int DELAY_SECONDS = 15;

  private final Scale scale;
  private final MeasuredRows rows;
  private final Path root;
  private final Path data;
  private final boolean isResumed;
  private final Optional<CgratesInstallation> cgrates;
  private final Random random = new Random(SEED);

  /// @param root of the clone with the programs
  /// @param data directory of databases and logs
  /// @param cgrates peer on the same PostgreSQL, if it is installed
  BillingRounds(
      Scale scale,
      MeasuredRows rows,
      Path root,
      Path data,
      boolean isResumed,
      Optional<CgratesInstallation> cgrates) {
    this.scale = scale;
    this.rows = rows;
    this.root = root;
    this.data = data;
    this.isResumed = isResumed;
    this.cgrates = cgrates;
  }

  void run() throws Exception {
    RatingRate rating = new RatingRate(scale.flows(), SEED);
    if (isMissing(BillingTable.RATING)) {
      rating.perSecond(RATING_SECONDS); // compiles
    }
    while (isMissing(BillingTable.RATING)) {
      rows.add(BillingTable.RATING, rating.perSecond(RATING_SECONDS));
    }
    for (long size : scale.sizes()) {
      Path directory = data.resolve(Long.toString(size));
      if (!isResumed) {
        delete(directory);
      }
      if (rows(size).anyMatch(this::isMissing)) {
        try (MeasuredBilling billing =
            MeasuredBilling.start(root, directory, BillingProcess.Times.WITHOUT_SETTLEMENT)) {
          measure(billing, size);
        }
      }
      delete(directory); // a large database may fill the disk for the next one
      if (isFirst(size)) {
        queue(size);
      }
    }
    if (scale.sustainedMinutes() > 0 && rows.count(BillingTable.SUSTAINED) == 0) {
      sustained();
    }
    if (scale.month() > 0 && rows.count(BillingTable.DROP) == 0) {
      Path directory = data.resolve("month");
      delete(directory);
      rows.add(
          BillingTable.DROP,
          new MonthDrop(scale, root, directory, random).longestWaitMs(scale.month()));
      delete(directory);
    }
  }

  // Once, at half of the rate that was measured, in a database of its own.
  private void sustained() throws Exception {
    Path directory = data.resolve("sustained");
    delete(directory);
    try (MeasuredBilling billing =
        MeasuredBilling.start(root, directory, BillingProcess.Times.AS_SHIPPED)) {
      billing.database().openAccounts(scale.accounts());
      double rate = median(BillingTable.at("post", scale.sizes().getFirst())) / 2;
      SustainedLoad.Result result =
          new SustainedLoad(billing, scale, random.nextLong())
              .run(rate, Duration.ofMinutes(scale.sustainedMinutes()));
      rows.add(BillingTable.RECEIPTS_WAITING, result.receiptsWaiting());
      rows.add(BillingTable.UNSETTLED, result.unsettled());
      rows.add(BillingTable.SUSTAINED, result.flowIntervalsPerSecond()); // the last: all are there
    }
    delete(directory);
  }

  private double median(String row) {
    return Median.of(Arrays.stream(rows.values(row)));
  }

  private void queue(long size) throws Exception {
    Path directory = data.resolve("queue");
    if (!isResumed) {
      delete(directory);
    }
    new QueueRounds(scale, rows, root, directory, random).run(size);
    delete(directory);
  }

  private boolean isMissing(String row) {
    return rows.count(row) < scale.rounds();
  }

  private boolean isFirst(long size) {
    return size == scale.sizes().getFirst();
  }

  private Stream<String> rows(long size) {
    Stream<String> all =
        Stream.of("post", "copy", "balance", "statement", "charges")
            .map(row -> BillingTable.at(row, size));
    return isFirst(size)
        ? Stream.concat(
            all,
            Stream.of(BillingTable.DELAY, BillingTable.PGBENCH, BillingTable.CGRATES)
                .filter(row -> !row.equals(BillingTable.PGBENCH) || Pgbench.program().isPresent())
                .filter(row -> !row.equals(BillingTable.CGRATES) || cgrates.isPresent()))
        : all;
  }

  private void measure(MeasuredBilling billing, long size) throws Exception {
    billing.database().openAccounts(scale.accounts() + 1); // the last one is for delays
    String run = UUID.randomUUID().toString().substring(0, 8);
    GeneratedReports reports =
        new GeneratedReports(run, scale.accounts(), scale.flows(), random.nextLong());
    PostingLoad load = new PostingLoad(billing.bridge());
    load.fill(billing.database(), reports, scale, random, size);
    load.run(newest(reports)); // compiles what the load has not
    for (int round = 0; round < scale.rounds(); round++) {
      post(billing, load, reports, size, round);
      read(billing, size, round);
      if (isFirst(size)) {
        delay(billing, load, reports, round);
        pgbench(billing, round);
        cgrates(billing, round);
      }
    }
  }

  private List<SubmitRequest> newest(GeneratedReports reports) {
    Instant now = Instant.now();
    return reports.requests(scale.reports(), now, now);
  }

  private void post(
      MeasuredBilling billing, PostingLoad load, GeneratedReports reports, long size, int round)
      throws Exception {
    String post = BillingTable.at("post", size);
    String copy = BillingTable.at("copy", size);
    if (rows.count(post) > round && rows.count(copy) > round) {
      return;
    }
    try (Connection connection = billing.database().connect()) {
      long before = CopiedRows.newest(connection);
      List<SubmitRequest> requests = newest(reports);
      double seconds = load.run(requests);
      double flowIntervals = (double) count(requests) * scale.flows();
      double copied = CopiedRows.copy(connection, before);
      if (rows.count(post) == round) {
        rows.add(post, flowIntervals / seconds);
      }
      if (rows.count(copy) == round) {
        rows.add(copy, flowIntervals / copied);
      }
    }
  }

  private static long count(List<SubmitRequest> requests) {
    return requests.stream().mapToLong(SubmitRequest::getReportsCount).sum();
  }

  private void read(MeasuredBilling billing, long size, int round) throws IOException {
    for (ReadTimes.Page page : ReadTimes.Page.values()) {
      String row = BillingTable.at(page.name().toLowerCase(Locale.ROOT), size);
      if (rows.count(row) == round) {
        rows.add(
            row,
            ReadTimes.p99(
                billing.client(),
                page,
                scale.requests(),
                scale.accounts(),
                random.nextLong(),
                Instant.now()));
      }
    }
  }

  private void delay(MeasuredBilling billing, PostingLoad load, GeneratedReports reports, int round)
      throws Exception {
    if (rows.count(BillingTable.DELAY) > round) {
      return;
    }
    double[] rates = rows.values(BillingTable.at("post", scale.sizes().getFirst()));
    double reportsPerSecond = rates[rates.length - 1] / scale.flows() / 2;
    int wanted = (int) Math.max(1, reportsPerSecond * DELAY_SECONDS);
    Instant now = Instant.now();
    List<SubmitRequest> requests = reports.requests(wanted, now, now);
    double requestSeconds = (double) count(requests) / requests.size() / reportsPerSecond;
    rows.add(
        BillingTable.DELAY,
        new BalanceDelay(load, billing.client(), GeneratedReports.account(scale.accounts()))
            .p99(requests, (long) (requestSeconds * 1e9), reports));
  }

  private void pgbench(MeasuredBilling billing, int round) throws Exception {
    Optional<Path> program = Pgbench.program();
    if (program.isPresent() && rows.count(BillingTable.PGBENCH) == round) {
      rows.add(
          BillingTable.PGBENCH,
          Pgbench.prepare(program.get(), billing.database().owner())
              .transactionsPerSecond(PGBENCH_SECONDS));
    }
  }

  private void cgrates(MeasuredBilling billing, int round) throws Exception {
    if (cgrates.isEmpty() || rows.count(BillingTable.CGRATES) > round) {
      return;
    }
    try (CgratesPeer peer =
        CgratesPeer.start(
            cgrates.get(), billing.database().owner(), data.resolve("cgrates"), scale.accounts())) {
      CgratesLoad load = new CgratesLoad(peer, scale, "round-" + round, random);
      load.perSecond(Math.ceilDiv(scale.reports(), 8)); // opens its connections to PostgreSQL
      rows.add(BillingTable.CGRATES, load.perSecond(scale.reports()));
    }
  }

  private static void delete(Path tree) throws IOException {
    if (Files.exists(tree)) {
      try (Stream<Path> files = Files.walk(tree)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
