package io.viaduct.billingbench;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Records of used bytes for CGRateS: one for each flow of a report, and a request for each report.
final class CgratesLoad {
  /// Requests in flight. CGRateS commits each record alone, so a few would measure the disk.
  private static final int IN_FLIGHT = 32;

  private static final int BYTES_MAX = 900_000;

  private final CgratesPeer peer;
  private final Scale scale;
  private final Random random;
  private final String run;
  private int reports;

  /// @param run part of the identities of records, unique in the database
  CgratesLoad(CgratesPeer peer, Scale scale, String run, Random random) {
    this.peer = peer;
    this.scale = scale;
    this.run = run;
    this.random = random;
  }

  /// Rates and stores as many records as a round of reports has flow intervals.
  ///
  /// @param reports requests
  /// @return records per second, until the last answer, which comes after the commit
  double perSecond(int reports) throws InterruptedException, ExecutionException {
    Queue<Map<String, Object>> waiting = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < reports; i++) {
      waiting.add(request());
    }
    long beginNs = System.nanoTime();
    try (ExecutorService callers = Executors.newFixedThreadPool(IN_FLIGHT)) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < IN_FLIGHT; i++) {
        running.add(callers.submit(() -> submitAll(waiting)));
      }
      for (Future<?> each : running) {
        each.get();
      }
    }
    return (double) reports * scale.flows() / ((System.nanoTime() - beginNs) / 1e9);
  }

  private Void submitAll(Queue<Map<String, Object>> waiting) throws IOException {
    try (JsonRpc rpc = peer.connect()) {
      for (Map<String, Object> next = waiting.poll(); next != null; next = waiting.poll()) {
        rpc.call("CDRsV1.ProcessEvents", next);
      }
    }
    return null;
  }

  private Map<String, Object> request() {
    String account = GeneratedReports.account(reports % scale.accounts());
    String now = Instant.now().toString();
    List<String> applications = GeneratedReports.applications();
    List<Map<String, Object>> events = new ArrayList<>();
    for (int flow = 0; flow < scale.flows(); flow++) {
      events.add(
          Map.of(
              "Tenant",
              "cgrates.org",
              "Event",
              Map.of(
                  "ToR",
                  "*data",
                  "OriginID",
                  run + "-" + reports + "-" + flow,
                  "OriginHost",
                  "snapt-bench",
                  "RequestType",
                  "*postpaid",
                  "Category",
                  applications.get(flow % applications.size()),
                  "Account",
                  account,
                  "Destination",
                  "internet",
                  "SetupTime",
                  now,
                  "AnswerTime",
                  now,
                  "Usage",
                  1 + random.nextInt(BYTES_MAX))));
    }
    reports++;
    return Map.of("CGREvents", events);
  }
}
