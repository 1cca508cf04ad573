package io.viaduct.billingbench;

import io.grpc.ManagedChannel;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SubmitRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Submits requests as a bridge does, with several in flight. Each answer comes after the commit.
final class PostingLoad implements ReportLoad {
  /// The bridge's default `billing.in-flight`.
  private static final int IN_FLIGHT = 4;

  private static final long DEADLINE_S = 120;

  private final ManagedChannel bridge;

  PostingLoad(ManagedChannel bridge) {
    this.bridge = bridge;
  }

  @Override
  public double run(List<SubmitRequest> requests) throws InterruptedException, ExecutionException {
    return run(requests, 0);
  }

  /// Submits the requests at an even rate.
  ///
  /// @param requestNs time between two requests; 0: as fast as billing answers
  /// @return seconds from the first request to the last answer
  /// @throws ExecutionException if a report was not posted
  double run(List<SubmitRequest> requests, long requestNs)
      throws InterruptedException, ExecutionException {
    Queue<SubmitRequest> waiting = new ConcurrentLinkedQueue<>(requests);
    long beginNs = System.nanoTime();
    try (ExecutorService callers = Executors.newFixedThreadPool(IN_FLIGHT)) {
      List<Future<?>> running = new ArrayList<>();
      for (int caller = 0; caller < IN_FLIGHT; caller++) {
        long firstNs = beginNs + caller * requestNs;
        running.add(callers.submit(() -> submitAll(waiting, firstNs, IN_FLIGHT * requestNs)));
      }
      for (Future<?> each : running) {
        each.get();
      }
    }
    return (System.nanoTime() - beginNs) / 1e9;
  }

  private void submitAll(Queue<SubmitRequest> waiting, long firstNs, long periodNs) {
    long dueNs = firstNs;
    for (SubmitRequest next = waiting.poll(); next != null; next = waiting.poll()) {
      for (long leftNs = dueNs - System.nanoTime(); periodNs > 0 && leftNs > 0; ) {
        LockSupport.parkNanos(leftNs);
        leftNs = dueNs - System.nanoTime();
      }
      submit(next);
      dueNs += periodNs;
    }
  }

  /// Submits one request, and requires that all of its reports are posted.
  void submit(SubmitRequest request) {
    List<ReportAck> acks =
        MediationGrpc.newBlockingStub(bridge)
            .withDeadlineAfter(DEADLINE_S, TimeUnit.SECONDS)
            .submit(request)
            .getAcksList();
    for (ReportAck ack : acks) {
      if (ack.getVerdict() != ReportVerdict.POSTED) {
        throw new IllegalStateException("a report was not posted: " + ack);
      }
    }
  }
}
