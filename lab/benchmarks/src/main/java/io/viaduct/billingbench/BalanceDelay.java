package io.viaduct.billingbench;

import io.viaduct.setup.users.BillingClient;
import io.viaduct.usage.v1.SubmitRequest;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Time from a report until a reader sees the account's new balance, while other reports come at
/// half of the rate that billing can post.
final class BalanceDelay {
  private final PostingLoad load;
  private final BillingClient client;
  private final String account;

  /// @param account that no other report charges
  BalanceDelay(PostingLoad load, BillingClient client, String account) {
    this.load = load;
    this.client = client;
    this.account = account;
  }

  /// Measures until the load ends.
  ///
  /// @param requests the load
  /// @param requestNs time between two of its requests
  /// @return the 99th percentile, in ms
  double p99(List<SubmitRequest> requests, long requestNs, GeneratedReports probes)
      throws InterruptedException, ExecutionException, IOException {
    List<Double> ms = new ArrayList<>();
    try (ExecutorService running = Executors.newSingleThreadExecutor()) {
      Future<Double> background = running.submit(() -> load.run(requests, requestNs));
      do {
        ms.add(delayMs(probes.single(account, Instant.now())));
      } while (!background.isDone());
      background.get();
    }
    return ReadTimes.p99(ms.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private double delayMs(SubmitRequest report)
      throws InterruptedException, ExecutionException, IOException {
    String before = balance();
    long beginNs = System.nanoTime();
    try (ExecutorService sender = Executors.newSingleThreadExecutor()) {
      Future<?> sent = sender.submit(() -> load.submit(report));
      while (balance().equals(before)) {
        if (sent.isDone()) {
          sent.get(); // fails here if the report was not posted
        }
      }
      double ms = (System.nanoTime() - beginNs) / 1e6;
      sent.get();
      return ms;
    }
  }

  private String balance() throws IOException {
    return client
        .send("GET", "/accounts/" + account + "/balance", null, Map.of())
        .path("postedMicrodenarii")
        .asString();
  }
}
