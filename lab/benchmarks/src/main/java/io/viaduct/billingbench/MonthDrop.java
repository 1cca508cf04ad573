package io.viaduct.billingbench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/// Drops a month of bills as an operator's retention does, after its export, while reports come.
/// Billing settles, exports and drops by itself; reports reach it over Kafka, where the time of
/// their arrival at the bridge counts, so that a month that is over can be filled.
final class MonthDrop {
  private static final int MONTHS_KEPT = 2;
  private static final Duration WAIT_MAX = Duration.ofHours(2);

  private final Scale scale;
  private final Path root;
  private final Path directory;
  private final Random random;

  /// @param root of the clone with the programs
  /// @param directory of database, broker, files and logs
  MonthDrop(Scale scale, Path root, Path directory, Random random) {
    this.scale = scale;
    this.root = root;
    this.directory = directory;
    this.random = random;
  }

  /// Fills a month and lets it be dropped.
  ///
  /// @param size flow intervals of the month
  /// @return longest time from a report until its verdict while the month is dropped, in ms
  double longestWaitMs(long size) throws Exception {
    ZonedDateTime month =
        ZonedDateTime.now(ZoneOffset.UTC)
            .truncatedTo(ChronoUnit.DAYS)
            .withDayOfMonth(1)
            .minusMonths(MONTHS_KEPT + 1L);
    Path files = Files.createDirectories(directory.resolve("files"));
    String export = "cdr: {directory: %s, open-time: 10s}\n".formatted(files);
    GeneratedReports reports =
        new GeneratedReports(
            UUID.randomUUID().toString().substring(0, 8),
            scale.accounts(),
            scale.flows(),
            random.nextLong());
    try (QueuedBilling billing = QueuedBilling.start(root, directory);
        QueueLoad load = billing.load("month");
        ExecutorService starting = Executors.newSingleThreadExecutor()) {
      billing.join("month", 1, export);
      BillingDatabase database = billing.database();
      database.openAccounts(scale.accounts());
      fill(database, load, reports, month, size);
      await(database);
      Future<?> retention =
          starting.submit(() ->
              billing.start(
                  "retention", export + "retention: {ledger-months: " + MONTHS_KEPT + "}\n"));
      double longestMs = 0;
      long endNs = System.nanoTime() + WAIT_MAX.toNanos();
      while (number(database, "select count(*) from sealed where forgotten") == 0) {
        double seconds =
            load.run(List.of(reports.single(GeneratedReports.account(0), Instant.now())));
        longestMs = Math.max(longestMs, seconds * 1e3);
        check(endNs, "the month is not dropped");
      }
      retention.get();
      return longestMs;
    }
  }

  private void fill(
      BillingDatabase database,
      QueueLoad load,
      GeneratedReports reports,
      ZonedDateTime month,
      long size)
      throws Exception {
    for (int later = 0; later <= MONTHS_KEPT; later++) {
      number(
          database,
          "select make_month(month_number('%s'))::int"
              .formatted(month.plusMonths(later).toInstant()));
    }
    for (long loaded = database.flowIntervals(); loaded < size; ) {
      int more = (int) Math.min(scale.reports(), Math.ceilDiv(size - loaded, scale.flows()));
      Instant end =
          month
              .plusDays(2)
              .plusMinutes(random.nextInt((int) Duration.ofDays(24).toMinutes()))
              .toInstant();
      load.run(reports.requests(more, end, end));
      loaded += (long) more * scale.flows();
      System.err.printf(Locale.ROOT, "loaded %,d of %,d into %s%n", loaded, size, month);
    }
  }

  /// Waits until all of it is settled, exported and has its receipts.
  private static void await(BillingDatabase database) throws SQLException, IOException {
    long endNs = System.nanoTime() + WAIT_MAX.toNanos();
    while (number(
            database,
            "select count(*) from not_sealable(month_number(now()) - %d)".formatted(MONTHS_KEPT))
        > 0) {
      check(endNs, "the month does not become final");
      LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
    }
  }

  private static void check(long endNs, String failure) throws IOException {
    if (System.nanoTime() - endNs > 0) {
      throw new IOException(failure);
    }
  }

  private static long number(BillingDatabase database, String query) throws SQLException {
    try (Connection connection = database.connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}
