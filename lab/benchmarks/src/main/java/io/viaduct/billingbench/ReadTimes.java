package io.viaduct.billingbench;

import io.viaduct.setup.users.BillingClient;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/// Times of requests over REST, one after the other, over a connection that stays open.
final class ReadTimes {
  private static final int WARM_UP = 50;
  private static final DateTimeFormatter MONTH =
      DateTimeFormatter.ofPattern("uuuu-MM").withZone(ZoneOffset.UTC);

  /// The parts of an account that are read.
  enum Page {
    BALANCE(_ -> "/balance"),
    STATEMENT(now -> "/statements/" + MONTH.format(now)),
    CHARGES(_ -> "/charges?limit=50");

    private final Function<Instant, String> path;

    Page(Function<Instant, String> path) {
      this.path = path;
    }
  }

  private ReadTimes() {}

  /// Returns the 99th percentile of the times of a page, in ms, over random accounts.
  static double p99(
      BillingClient client, Page page, int requests, int accounts, long seed, Instant now)
      throws IOException {
    Random random = new Random(seed);
    double[] ms = new double[requests];
    for (int i = -WARM_UP; i < requests; i++) {
      String account = GeneratedReports.account(random.nextInt(accounts));
      long beginNs = System.nanoTime();
      client.send("GET", "/accounts/" + account + page.path.apply(now), null, Map.of());
      if (i >= 0) {
        ms[i] = (System.nanoTime() - beginNs) / 1e6;
      }
    }
    return p99(ms);
  }

  /// Returns the smallest value that is not below 99 % of all values.
  static double p99(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(sorted.length * 99 + 99) / 100 - 1];
  }
}
