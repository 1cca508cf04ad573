package io.viaduct.billingbench;

import io.viaduct.usage.v1.SubmitRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/// Posts reports at an even rate for minutes, while billing settles, makes receipts and verifies as
/// it is shipped, and counts what billing has left undone at the end.
final class SustainedLoad {
  /// The load is signed in pieces of this length, each while the one before is posted.
  private static final Duration PIECE = Duration.ofSeconds(10);

  /// Age of the last interval of a session when its report comes. A session has five minutes, so
  /// they are within the shipped grace time of ten, and due for settlement one to five minutes
  /// later.
  private static final Duration AGE = Duration.ofMinutes(5);

  private final PostingLoad load;
  private final BillingDatabase database;
  private final GeneratedReports reports;
  private final int flows;

  /// @param seed of bytes and delays
  SustainedLoad(MeasuredBilling billing, Scale scale, long seed) throws Exception {
    load = new PostingLoad(billing.bridge());
    database = billing.database();
    reports =
        new GeneratedReports(
            UUID.randomUUID().toString().substring(0, 8), scale.accounts(), scale.flows(), seed);
    flows = scale.flows();
  }

  /// The amount that was posted, and what was left at the end.
  ///
  /// @param receiptsWaiting movements of balances without a receipt, as `viaduct_receipts_waiting`
  ///   counts them, but without its limit
  /// @param unsettled intervals whose grace time is over and that are not settled
  record Result(double flowIntervalsPerSecond, long receiptsWaiting, long unsettled) {}

  /// Posts for a time.
  ///
  /// @param rate flow intervals per second
  Result run(double rate, Duration time) throws Exception {
    int wanted = (int) Math.ceil(rate / flows * PIECE.toSeconds());
    long posted = 0;
    long beginNs = System.nanoTime();
    try (ExecutorService signer = Executors.newSingleThreadExecutor()) {
      Future<List<SubmitRequest>> next = signer.submit(() -> piece(wanted));
      for (int piece = 0; piece < time.dividedBy(PIECE); piece++) {
        List<SubmitRequest> requests = next.get();
        next = signer.submit(() -> piece(wanted));
        for (long leftNs = beginNs + piece * PIECE.toNanos() - System.nanoTime(); leftNs > 0; ) {
          LockSupport.parkNanos(leftNs);
          leftNs = beginNs + piece * PIECE.toNanos() - System.nanoTime();
        }
        load.run(requests, PIECE.toNanos() / requests.size());
        posted += requests.stream().mapToLong(SubmitRequest::getReportsCount).sum() * flows;
      }
      next.cancel(true);
    }
    double seconds = (System.nanoTime() - beginNs) / 1e9;
    return new Result(
        posted / seconds,
        count("select count(*) from receipt_waiting"),
        count(
            "select count(*) from charging_interval where state = 'CORRECTED' and grace_ends_at <= now()"));
  }

  private List<SubmitRequest> piece(int wanted) {
    Instant now = Instant.now();
    return reports.requests(wanted, now.minus(AGE), now);
  }

  private long count(String query) throws SQLException {
    try (Connection connection = database.connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}
