package io.viaduct.billingbench;

import io.viaduct.testbed.report.MeasuredRows;
import io.viaduct.usage.v1.SubmitRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/// Measures the rows of reports that come over Kafka, in a database of their own: one instance
/// beside COPY, and one instance beside three when each has a share of a core.
final class QueueRounds {
  private static final int INSTANCES = 3;

  /// Rounds before the limits: they compile what the measured ones run.
  private static final int WARM_UP = 2;

  private final Scale scale;
  private final MeasuredRows rows;
  private final Path root;
  private final Path directory;
  private final Random random;

  /// @param root of the clone with the programs
  /// @param directory of database, broker and logs
  QueueRounds(Scale scale, MeasuredRows rows, Path root, Path directory, Random random) {
    this.scale = scale;
    this.rows = rows;
    this.root = root;
    this.directory = directory;
    this.random = random;
  }

  /// Returns why no processor time can be limited here; empty if it can.
  static String obstacle() {
    try {
      CpuQuota.of("try", 1).close();
      return "";
    } catch (IOException e) {
      return "needs a control group of its own, for example as root: " + e;
    }
  }

  /// Measures the missing rounds.
  ///
  /// @param size flow intervals that are loaded before
  void run(long size) throws Exception {
    boolean isLimited = obstacle().isEmpty() && isMissing(BillingTable.THREE);
    if (!isLimited && !isMissing(BillingTable.QUEUE_COPY)) {
      return;
    }
    try (QueuedBilling billing = QueuedBilling.start(root, directory)) {
      GeneratedReports reports =
          new GeneratedReports(
              UUID.randomUUID().toString().substring(0, 8),
              scale.accounts(),
              scale.flows(),
              random.nextLong());
      try (QueueLoad load = billing.load("alone")) {
        billing.join("alone", 1, "");
        billing.database().openAccounts(scale.accounts());
        load.fill(billing.database(), reports, scale, random, size);
        load.run(newest(reports));
        while (isMissing(BillingTable.QUEUE_COPY)) {
          alone(billing, load, reports);
        }
      }
      billing.leave();
      if (isLimited) {
        compare(billing, reports);
      }
    }
  }

  private boolean isMissing(String row) {
    return rows.count(row) < scale.rounds();
  }

  private List<SubmitRequest> newest(GeneratedReports reports) {
    Instant now = Instant.now();
    return reports.requests(scale.reports(), now, now);
  }

  private void alone(QueuedBilling billing, QueueLoad load, GeneratedReports reports)
      throws Exception {
    try (Connection connection = billing.database().connect()) {
      long before = CopiedRows.newest(connection);
      List<SubmitRequest> requests = newest(reports);
      double seconds = load.run(requests);
      double copied = CopiedRows.copy(connection, before);
      if (rows.count(BillingTable.QUEUE) == rows.count(BillingTable.QUEUE_COPY)) {
        rows.add(BillingTable.QUEUE, flowIntervals(requests) / seconds);
      }
      rows.add(BillingTable.QUEUE_COPY, flowIntervals(requests) / copied);
    }
  }

  // All instances run all the time, so that no round begins with a cold start. Those that are not
  // measured find their topic empty.
  private void compare(QueuedBilling billing, GeneratedReports reports) throws Exception {
    List<CpuQuota> quotas = new ArrayList<>();
    try (QueueLoad one = billing.load("one");
        QueueLoad three = billing.load("three")) {
      List<BillingProcess> instances = new ArrayList<>(billing.join("one", 1, ""));
      instances.addAll(billing.join("three", INSTANCES, ""));
      for (int i = 0; i < WARM_UP; i++) {
        one.run(newest(reports));
        for (int share = 0; share < INSTANCES; share++) {
          three.run(newest(reports));
        }
      }
      for (BillingProcess instance : instances) {
        CpuQuota quota = CpuQuota.of(Long.toString(instance.pid()), scale.cores());
        quotas.add(quota);
        quota.limit(instance.pid());
      }
      while (isMissing(BillingTable.THREE)) {
        if (rows.count(BillingTable.ONE) == rows.count(BillingTable.THREE)) {
          rows.add(BillingTable.ONE, rate(one, newest(reports)));
        }
        rows.add(BillingTable.THREE, rate(three, newest(reports)));
      }
    } finally {
      billing.leave();
      for (CpuQuota quota : quotas) {
        quota.close();
      }
    }
  }

  private double rate(QueueLoad load, List<SubmitRequest> requests) throws Exception {
    return flowIntervals(requests) / load.run(requests);
  }

  private double flowIntervals(List<SubmitRequest> requests) {
    return (double) requests.stream().mapToLong(SubmitRequest::getReportsCount).sum()
        * scale.flows();
  }
}
