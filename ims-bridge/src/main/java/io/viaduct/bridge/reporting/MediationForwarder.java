package io.viaduct.bridge.reporting;

import io.grpc.StatusRuntimeException;
import io.viaduct.bridge.configuration.BridgeConfiguration.Billing;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.SubmitResponse;
import io.viaduct.usage.v1.TokenKey;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Submits verified reports to billing in batches, and returns billing's verdicts. One thread
/// collects the batches; each submission has its own virtual thread. Queue, batch and concurrent
/// submissions are bounded. If billing does not answer, the reports are deferred: their SNAPT keeps
/// them and sends them again.
public final class MediationForwarder implements ReportTransport {
  /// Below gRPC's default message limit of 4 MiB.
  private static final int BATCH_BYTES_MAX = 2 << 20;

  private final Billing limits;
  private final MediationGrpc.MediationBlockingStub mediation;
  private final ReportMeters meters;
  private final BillingReachability billing;
  private final Supplier<List<TokenKey>> tokenKeys;
  private final InstantSource clock;
  private final BlockingQueue<PendingReport> queue;
  private final Semaphore inFlight;
  private final Thread gatherer;
  private volatile boolean closed;

  /// @param tokenKeys public keys sent with each batch, because billing checks the tokens again
  public MediationForwarder(
      Billing limits,
      MediationGrpc.MediationBlockingStub mediation,
      ReportMeters meters,
      BillingReachability billing,
      Supplier<List<TokenKey>> tokenKeys,
      InstantSource clock) {
    this.limits = limits;
    this.tokenKeys = tokenKeys;
    this.mediation = mediation;
    this.meters = meters;
    this.billing = billing;
    this.clock = clock;
    this.queue = new ArrayBlockingQueue<>(limits.queue());
    this.inFlight = new Semaphore(limits.inFlight());
    this.gatherer = Thread.ofVirtual().name("report-gatherer").start(this::gather);
  }

  private SubmitResponse submit(SubmitRequest request) {
    return mediation
        .withDeadlineAfter(limits.deadline().toMillis(), TimeUnit.MILLISECONDS)
        .submit(request);
  }

  private void onFailure(StatusRuntimeException failure) {
    if (!closed) {
      meters.billingFailed();
      billing.failed(failure);
    }
  }

  @Override
  public int queued() {
    return queue.size();
  }

  @Override
  public int queuedMax() {
    return limits.queue();
  }

  /// Queues a report. It is acknowledged in any case: with billing's verdict, or deferred.
  @Override
  public void submit(PendingReport pending) {
    if (closed || !queue.offer(pending)) {
      meters.overflow();
      pending.defer("bridge is busy");
    }
  }

  private void gather() {
    List<PendingReport> batch = new ArrayList<>();
    try {
      while (!closed) {
        PendingReport first = queue.take();
        inFlight.acquire();
        batch.add(first);
        fill(batch);
        List<PendingReport> complete = List.copyOf(batch);
        batch.clear();
        Thread.ofVirtual().name("report-submission").start(() -> forward(complete));
      }
    } catch (InterruptedException e) {
      batch.forEach(pending -> pending.defer("bridge is stopping"));
    }
  }

  /// Waits for further reports, so that billing needs one commit for the batch.
  private void fill(List<PendingReport> batch) throws InterruptedException {
    long bytes = batch.getFirst().signed().getSerializedSize();
    long waitNs = limits.linger().toNanos();
    while (batch.size() < limits.batch() && bytes < BATCH_BYTES_MAX) {
      PendingReport next = queue.poll(waitNs, TimeUnit.NANOSECONDS);
      if (next == null) {
        return;
      }
      batch.add(next);
      bytes += next.signed().getSerializedSize();
      waitNs = 0; // the linger time starts with the first report
    }
  }

  private void forward(List<PendingReport> batch) {
    try {
      SubmitRequest.Builder request =
          SubmitRequest.newBuilder().setReceivedMs(clock.millis()).addAllTokenKeys(tokenKeys.get());
      batch.forEach(pending -> request.addReports(pending.signed()));
      SubmitResponse response = submit(request.build());
      billing.answered();
      acknowledge(batch, response.getAcksList());
    } catch (StatusRuntimeException e) {
      onFailure(e);
      batch.forEach(pending -> pending.defer("billing did not answer"));
    } finally {
      inFlight.release();
    }
  }

  /// Acknowledges each report with billing's answer. Billing answers in the order of the request; a
  /// report whose answer names another report is deferred.
  static void acknowledge(List<PendingReport> batch, List<ReportAck> acks) {
    for (int i = 0; i < batch.size(); i++) {
      PendingReport pending = batch.get(i);
      if (i < acks.size() && pending.isAnsweredBy(acks.get(i)) && isVerdict(acks.get(i))) {
        pending.acknowledge().accept(acks.get(i));
      } else {
        pending.defer("billing's answer does not name the report");
      }
    }
  }

  /// Returns whether an acknowledgement has one of billing's verdicts.
  static boolean isVerdict(ReportAck ack) {
    return switch (ack.getVerdict()) {
      case POSTED, ALREADY_POSTED, CONFLICT, REJECTED, DEFERRED, PROVISIONAL, HELD -> true;
      case QUEUED, REPORT_VERDICT_UNSPECIFIED, UNRECOGNIZED -> false; // billing queues nothing
    };
  }

  /// Defers the queued reports. Submissions in flight run to their end or deadline.
  @Override
  public void close() {
    closed = true;
    gatherer.interrupt();
    for (PendingReport p = queue.poll(); p != null; p = queue.poll()) {
      p.defer("bridge is stopping");
    }
  }
}
