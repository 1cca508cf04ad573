package io.viaduct.billingbench;

import io.viaduct.usage.v1.SubmitRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/// A way by which reports come to billing.
@FunctionalInterface
interface ReportLoad {
  /// Time before now in which the intervals of a loaded database lie: within the grace time.
  Duration SPAN = Duration.ofHours(20);

  /// Posts all reports as fast as billing takes them.
  ///
  /// @return seconds from the first report to the last verdict, which comes after the commit
  /// @throws IllegalStateException if a report was not posted
  double run(List<SubmitRequest> requests) throws Exception;

  /// Posts reports until the database has as many flow intervals as wanted.
  default void fill(
      BillingDatabase database, GeneratedReports reports, Scale scale, Random random, long size)
      throws Exception {
    for (long loaded = database.flowIntervals(); loaded < size; ) {
      int more = (int) Math.min(scale.reports(), Math.ceilDiv(size - loaded, scale.flows()));
      Instant now = Instant.now();
      Instant end = now.minusMillis((long) (random.nextDouble() * SPAN.toMillis()));
      run(reports.requests(more, end, now));
      loaded += (long) more * scale.flows();
      System.err.printf(Locale.ROOT, "loaded %,d of %,d%n", loaded, size);
    }
  }
}
