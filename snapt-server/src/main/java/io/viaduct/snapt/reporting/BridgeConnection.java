package io.viaduct.snapt.reporting;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.viaduct.service.tls.HandshakeFailure;
import io.viaduct.snapt.credit.CreditLine;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.SnaptsGrpc;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The reporting thread. It writes to the disk and holds the gRPC streams to the bridge, for status
/// and for credit control, and the line of the reports. It reopens a broken one after about one
/// second. All state is confined to this thread; answers are posted to it.
public final class BridgeConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BridgeConnection.class);
  private static final long RETRY_MS = 1_000; // on average
  private static final long BETWEEN_LINES_MS = 10_000;
  private static final long SETTLE_MS = 500;

  private final ManagedChannel channel;
  private final ReportLine reports;
  private final ScheduledExecutorService thread;
  private final InstantSource clock;
  private final UsageReporting reporting;
  private final ReportSender sender;
  private final Supplier<SnaptStatus> status;
  private final Consumer<SnaptStatusAck> statusAnswer;
  private final BridgeOrders orders;
  private final CreditLine credit;
  private final RandomGenerator random = RandomGenerator.getDefault();
  private final AtomicBoolean settling = new AtomicBoolean();
  private @Nullable StreamObserver<SnaptStatus> announcements;
  private String lossSaid = "";
  private long lossSaidMs = -BETWEEN_LINES_MS;
  private boolean refusalWasSaid;
  private volatile boolean closing;

  /// @param channel channel to the bridge, with the SNAPT's certificate; closed with this object
  /// @param reports the line of the reports; closed with this object
  /// @param thread executor with one thread, shut down with this object
  /// @param status supplies the status that is announced
  /// @param statusAnswer takes the bridge's answer, which contains the token keys
  /// @param orders carries out the bridge's orders
  /// @param credit takes the stream of credit control, and its answers on the stream's own thread
  public BridgeConnection(
      ManagedChannel channel,
      ReportLine reports,
      ScheduledExecutorService thread,
      InstantSource clock,
      UsageReporting reporting,
      ReportSender sender,
      Supplier<SnaptStatus> status,
      Consumer<SnaptStatusAck> statusAnswer,
      BridgeOrders orders,
      CreditLine credit) {
    this.channel = channel;
    this.reports = reports;
    this.thread = thread;
    this.clock = clock;
    this.reporting = reporting;
    this.sender = sender;
    this.status = status;
    this.statusAnswer = statusAnswer;
    this.orders = orders;
    this.credit = credit;
  }

  /// Opens the streams and starts the announcements.
  public void start(Duration announceEvery) {
    thread.execute(this::openReports);
    thread.execute(this::openAnnouncements);
    thread.execute(this::openCredit);
    ScheduledFuture<?> settle =
        thread.scheduleWithFixedDelay(this::settle, SETTLE_MS, SETTLE_MS, TimeUnit.MILLISECONDS);
    ScheduledFuture<?> announce =
        thread.scheduleWithFixedDelay(
            this::announce, 0, announceEvery.toMillis(), TimeUnit.MILLISECONDS);
    LOG.debug("reporting began: {} {}", settle, announce);
  }

  /// Schedules [UsageReporting#settle]. Any thread may call this; repeated calls are merged.
  public void settleSoon() {
    if (settling.compareAndSet(false, true)) {
      thread.execute(() -> {
        settling.set(false);
        settle();
      });
    }
  }

  private void settle() {
    reporting.settle(clock.millis());
  }

  private void openReports() {
    if (closing) {
      return;
    }
    sender.onConnected(
        reports.open(
            answers(
                reports.peer(),
                posting(this::onReportAnswer),
                sender::onDisconnected,
                this::openReports)));
    settle();
  }

  private void openAnnouncements() {
    announcements =
        SnaptsGrpc.newStub(channel)
            .announce(
                answers(
                    channel.authority(),
                    posting(this::onStatusAnswer),
                    () -> announcements = null,
                    this::openAnnouncements));
    announce();
  }

  /// Opens the stream of credit control. Its answers do not wait for the disk.
  private void openCredit() {
    credit.onConnected(
        SnaptsGrpc.newStub(channel)
            .credit(
                answers(
                    channel.authority(),
                    credit::onAnswer,
                    credit::onDisconnected,
                    this::openCredit)));
  }

  /// Announces this SNAPT's state at once, because it has changed. Any thread may call this.
  public void announceSoon() {
    post(this::announce);
  }

  private void announce() {
    announce(0);
  }

  private void announce(long probe) {
    if (announcements != null) {
      announcements.onNext(status.get().toBuilder().setProbe(probe).build());
    }
  }

  /// Answers the bridge's check whether this process is alive. The bridge sends it if another
  /// process has announced the same SNAPT id.
  private void onStatusAnswer(SnaptStatusAck answer) {
    if (answer.getProbe() != 0) {
      announce(answer.getProbe());
      return;
    }
    orders.onEnrolment(true);
    if (answer.hasDrain()) {
      orders.onOrder(answer.getDrain());
    }
    refusalWasSaid = false;
    statusAnswer.accept(answer);
  }

  private void onReportAnswer(ReportAck ack) {
    try {
      sender.onAnswer(ack, clock.millis());
      settle();
    } catch (IOException e) {
      reporting.diskFailures().increment();
      LOG.error("the answer for a report could not be kept; it will be asked for again", e);
    }
  }

  private <T> Consumer<T> posting(Consumer<T> next) {
    return answer -> post(() -> next.accept(answer));
  }

  private <T> StreamObserver<T> answers(
      String peer, Consumer<T> next, Runnable lost, Runnable reopen) {
    return new StreamObserver<>() {
      private boolean isHeard;

      @Override
      public void onNext(T answer) {
        if (!isHeard) {
          isHeard = true;
          post(() -> lossSaid = "");
        }
        next.accept(answer);
      }

      @Override
      public void onError(Throwable why) {
        Status status = Status.fromThrowable(why);
        switch (status.getCode()) {
          case ALREADY_EXISTS -> post(() -> onRefused(status.getDescription()));
          case NOT_FOUND ->
              post(() -> {
                orders.onEnrolment(false);
                onRefused(status.getDescription());
              });
          default -> post(() -> onLost(HandshakeFailure.reason(why)));
        }
      }

      @Override
      public void onCompleted() {
        post(() -> onLost("the bridge closed the stream"));
      }

      /// Logs that the bridge refuses this SNAPT: another process uses its id or address, or
      /// billing does not know it.
      private void onRefused(@Nullable String words) {
        if (!refusalWasSaid && !closing) {
          LOG.error("the bridge refuses this SNAPT, reports are kept: {}", words);
          refusalWasSaid = true;
        }
        openLater();
      }

      // A repeated reason is logged only once.
      private void onLost(String why) {
        long nowMs = clock.millis();
        if (!lossSaid.equals(why) && nowMs - lossSaidMs >= BETWEEN_LINES_MS && !closing) {
          LOG.warn(
              "bridge {} unreachable, reports are kept, next attempts every second: {}", peer, why);
          lossSaid = why;
          lossSaidMs = nowMs;
        }
        openLater();
      }

      private void openLater() {
        lost.run();
        if (closing) {
          return;
        }
        ScheduledFuture<?> again =
            thread.schedule(() -> reopen(reopen), retryMs(random), TimeUnit.MILLISECONDS);
        LOG.trace("opened again: {}", again);
      }
    };
  }

  /// Returns the time until a broken stream is opened again. It differs from SNAPT to SNAPT, so
  /// that a bridge that was started again does not get all handshakes of its SNAPTs at once.
  static long retryMs(RandomGenerator random) {
    return RETRY_MS / 2 + random.nextLong(RETRY_MS);
  }

  private void reopen(Runnable line) {
    channel.resetConnectBackoff(); // gRPC's own pauses grow to two minutes
    line.run();
  }

  private void post(Runnable work) {
    if (!thread.isShutdown()) {
      thread.execute(work);
    }
  }

  /// Spools all closed reports and waits for the bridge's answers. Then ends the streams, the
  /// channel and the thread. Unanswered reports stay on disk until the next start.
  ///
  /// @param patience longest wait for the bridge's answers
  public void drain(Duration patience) throws InterruptedException {
    settleSoon();
    long deadlineMs = clock.millis() + patience.toMillis();
    while (reporting.isDeliverable() && clock.millis() < deadlineMs) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    close();
  }

  @Override
  public void close() {
    closing = true;
    channel.shutdownNow();
    thread.shutdown();
    try {
      if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
        LOG.warn("the disk did not finish in 5 s: the last second of usage may be lost");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    reports.close();
  }
}
