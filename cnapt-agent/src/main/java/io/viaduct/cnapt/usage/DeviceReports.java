package io.viaduct.cnapt.usage;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SignedSessionToken;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Signs the device's reports, keeps them on disk, and sends them to the bridge, one at a time,
/// oldest first. A report that the bridge has not taken within a day is deleted: billing would
/// refuse it.
///
/// One thread of its own owns the spool; the loops only hand over.
public final class DeviceReports implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceReports.class);

  /// Half a day of intervals of a minute; a report has some kilobytes.
  static final int SPOOLED_MAX = 720;

  private static final long TOO_OLD_MS = Duration.ofHours(24).toMillis();
  private static final long PAUSE_MS_MIN = 5_000;
  private static final long PAUSE_MS_MAX = 300_000;
  private static final long UNSUPPORTED_MS = 3_600_000; // until a newer bridge may have come
  private static final int CLOSE_SECONDS_MAX = 2;

  /// Fates of reports; each is a counter.
  public enum Fate {
    /// Made, signed and on disk.
    MADE,
    /// Taken by billing.
    TAKEN,
    /// Refused by billing for good.
    REFUSED,
    /// Deleted because the spool was full.
    DROPPED,
    /// Deleted a day after the interval.
    EXPIRED,
    /// Not made, because there was no token, or the disk failed.
    NOT_MADE
  }

  private final ReportSpool spool;
  private final UnaryOperator<ByteString> sign;
  private final ReportPublisher publisher;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("device-reports").daemon().factory());
  private final AtomicLongArray fates = new AtomicLongArray(Fate.values().length);
  private final AtomicInteger spooled = new AtomicInteger();
  private volatile byte @Nullable [] token;

  // Used only by the thread.
  private boolean isSending;
  private long pauseMs = PAUSE_MS_MIN;

  private DeviceReports(
      ReportSpool spool,
      UnaryOperator<ByteString> sign,
      ReportPublisher publisher,
      InstantSource clock,
      LongSupplier nanoTime) {
    this.spool = spool;
    this.sign = sign;
    this.publisher = publisher;
    this.clock = clock;
    this.nanoTime = nanoTime;
    spooled.set(spool.size());
  }

  /// Opens the spool in the agent's state, and begins to send what it holds.
  ///
  /// @param state the agent's state directory
  /// @param sign signs the bytes of a report with the device key
  /// @throws IOException if the spool cannot be used
  public static DeviceReports open(
      Path state,
      UnaryOperator<ByteString> sign,
      ReportPublisher publisher,
      InstantSource clock,
      LongSupplier nanoTime)
      throws IOException {
    DeviceReports reports =
        new DeviceReports(
            ReportSpool.open(state.resolve("device-reports"), SPOOLED_MAX),
            sign,
            publisher,
            clock,
            nanoTime);
    reports.later(reports::send, PAUSE_MS_MIN);
    return reports;
  }

  /// Sets the newest token; it proves the account of later reports. Any thread may call this.
  public void token(byte[] signed) {
    token = signed.clone();
  }

  /// Begins the reports of a session. Any thread may call this.
  public SessionReports begin(String snaptId, String sessionId, long epoch) {
    return new SessionReports(
        new SessionReports.Session(snaptId, sessionId, epoch),
        clock.millis(),
        nanoTime,
        this::made);
  }

  private void made(DeviceReport.Builder report) {
    try {
      thread.execute(() -> keep(report));
    } catch (RejectedExecutionException _) {
      count(Fate.NOT_MADE, 1); // the agent ends
    }
  }

  private void keep(DeviceReport.Builder report) {
    byte[] shown = token;
    if (shown == null) {
      count(Fate.NOT_MADE, 1);
      return;
    }
    try {
      SignedSessionToken proof = SignedSessionToken.parseFrom(shown);
      SessionToken content = SessionToken.parseFrom(proof.getToken());
      ByteString bytes =
          report
              .setAccount(content.getAccount())
              .setIcid(content.getIcid())
              .setTokenId(content.getTokenId())
              .build()
              .toByteString();
      int dropped =
          spool.add(
              SignedDeviceReport.newBuilder()
                  .setReport(bytes)
                  .setSignature(sign.apply(bytes))
                  .setToken(proof)
                  .build());
      count(Fate.MADE, 1);
      count(Fate.DROPPED, dropped);
      send();
    } catch (InvalidProtocolBufferException e) {
      count(Fate.NOT_MADE, 1);
      LOG.warn("no report of usage: the token cannot be read: {}", e.toString());
    } catch (IOException e) {
      count(Fate.NOT_MADE, 1);
      LOG.warn("no report of usage: the state cannot be written: {}", e.toString());
    } finally {
      spooled.set(spool.size());
    }
  }

  private void send() {
    if (isSending) {
      return;
    }
    try {
      for (Long oldest = spool.oldest(); oldest != null; oldest = spool.oldest()) {
        SignedDeviceReport report = spool.read(oldest);
        if (report != null && isTooOld(report)) {
          spool.remove(oldest);
          count(Fate.EXPIRED, 1);
        } else if (report != null) {
          isSending = true;
          long number = oldest;
          var unused =
              publisher
                  .publish(report.toByteArray())
                  .exceptionally(_ -> ReportPublisher.Answer.LATER)
                  .thenAccept(answer -> later(() -> answered(number, answer), 0));
          return;
        }
      }
    } catch (IOException e) {
      LOG.warn("reports of usage wait: the state cannot be read: {}", e.toString());
      later(this::send, PAUSE_MS_MAX);
    } finally {
      spooled.set(spool.size());
    }
  }

  private boolean isTooOld(SignedDeviceReport report) throws InvalidProtocolBufferException {
    return clock.millis() - DeviceReport.parseFrom(report.getReport()).getEndMs() > TOO_OLD_MS;
  }

  private void answered(long number, ReportPublisher.Answer answer) {
    isSending = false;
    switch (answer) {
      case TAKEN, REFUSED -> {
        pauseMs = PAUSE_MS_MIN;
        try {
          spool.remove(number);
        } catch (IOException e) {
          LOG.warn("a sent report of usage cannot be deleted: {}", e.toString());
          later(this::send, PAUSE_MS_MAX);
          return;
        }
        count(answer == ReportPublisher.Answer.TAKEN ? Fate.TAKEN : Fate.REFUSED, 1);
        send();
      }
      case LATER -> {
        hold(pauseMs);
        pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX);
      }
      case UNSUPPORTED -> hold(UNSUPPORTED_MS);
    }
  }

  // Nothing is sent meanwhile, also if a new report comes.
  private void hold(long forMs) {
    isSending = true;
    later(
        () -> {
          isSending = false;
          send();
        },
        forMs);
  }

  private void later(Runnable task, long delayMs) {
    try {
      var unused = thread.schedule(task, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) {
      // The agent ends; the next one sends it.
    }
  }

  private void count(Fate fate, int reports) {
    fates.addAndGet(fate.ordinal(), reports);
  }

  /// Returns the number of reports with this fate; any thread may call this.
  public long of(Fate fate) {
    return fates.get(fate.ordinal());
  }

  /// Returns the number of reports on disk; any thread may call this.
  public int spooled() {
    return spooled.get();
  }

  /// Writes what was made; what is not sent stays on disk. Blocks for at most two seconds.
  @Override
  public void close() {
    try {
      thread.submit(() -> {}).get(CLOSE_SECONDS_MAX, TimeUnit.SECONDS); // after what was made
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("a report of usage may be lost: the state was not written: {}", e.toString());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    thread.shutdownNow();
  }
}
