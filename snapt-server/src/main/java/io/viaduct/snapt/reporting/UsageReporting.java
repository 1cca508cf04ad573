package io.viaduct.snapt.reporting;

import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.snapt.metering.ReportParts;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries each report from its event loop to the bridge. The steps are: event loop → checkpoint
/// thread ([IntervalLog]) → reporting thread: into the spool (durable) → out of the log (durable) →
/// receipt of its device ([Receipts]) → bridge.
///
/// Event loops call [#progress] and [#close], which never block. The checkpoint thread only writes
/// into the page cache, so its records survive the end of the process at once, even while the
/// reporting thread waits for the disk. Both queues are bounded. A loop passes its next changes
/// only after the last ones were taken, and each session closes one report per interval.
public final class UsageReporting {
  private static final Logger LOG = LoggerFactory.getLogger(UsageReporting.class);
  private static final long FORCE_MS = 1_000;
  private static final int SPOOLED_AT_ONCE = 64;

  private final ReportSpool spool;
  private final IntervalLog intervals;
  private final ReportSigner signer;
  private final ReportSender sender;
  private final Receipts receipts;
  private final Executor checkpointThread;
  private final LongAdder diskFailures = new LongAdder();
  private final AtomicInteger notSpooled = new AtomicInteger();
  private final AtomicBoolean failing = new AtomicBoolean();

  // Closed intervals, from the checkpoint thread to the reporting thread.
  private final Queue<IntervalUsage> closed = new ConcurrentLinkedQueue<>();
  // Used only by the reporting thread.
  private long forcedMs;

  /// Creates the reporting. It owns the spool, the log, the sender and the receipts from now on.
  ///
  /// @param checkpointThread executor with one thread, which runs tasks in order; the caller shuts
  ///   it down before the last [#settle]
  public UsageReporting(
      ReportSpool spool,
      IntervalLog intervals,
      ReportSigner signer,
      ReportSender sender,
      Receipts receipts,
      Executor checkpointThread) {
    this.spool = spool;
    this.intervals = intervals;
    this.signer = signer;
    this.sender = sender;
    this.receipts = receipts;
    this.checkpointThread = checkpointThread;
  }

  /// Records the changes of open intervals; any thread may call this.
  ///
  /// @param taken run when the log has the changes; the caller may then pass the next ones
  public void progress(List<IntervalUsage> changes, Runnable taken) {
    checkpointThread.execute(() -> {
      append(changes);
      taken.run();
    });
  }

  /// Accepts the complete report of an interval that has ended; any thread may call this.
  ///
  /// @param settle run when [#settle] has new work
  public void close(IntervalUsage usage, Runnable settle) {
    notSpooled.incrementAndGet();
    checkpointThread.execute(() -> {
      append(List.of(usage));
      closed.add(usage);
      settle.run();
    });
  }

  private void append(List<IntervalUsage> changes) {
    try {
      intervals.append(changes);
    } catch (IOException e) {
      failed(e);
    }
  }

  private void failed(IOException why) {
    diskFailures.increment();
    if (failing.compareAndSet(false, true)) {
      LOG.error("usage stays in memory until the disk can be written again", why);
    }
  }

  /// Moves closed reports from the log to the spool, makes both durable, and offers durable reports
  /// to the bridge. The reporting thread calls it twice a second, when an interval has ended, and
  /// after each answer. A disk error is logged, and the next call tries again. Until then, all
  /// reports are kept, and none is offered.
  public void settle(long nowMs) {
    try {
      do {
        receipts.settle(nowMs);
        spoolClosed(nowMs);
        if (nowMs - forcedMs >= FORCE_MS) {
          intervals.force();
          forcedMs = nowMs;
        }
        sender.pump(nowMs);
      } while (!closed.isEmpty());
      failing.set(false);
    } catch (IOException e) {
      failed(e);
    }
  }

  private void spoolClosed(long nowMs) throws IOException {
    List<IntervalUsage> spooled = new ArrayList<>();
    for (IntervalUsage usage : closed) {
      spool(usage, nowMs);
      spooled.add(usage);
      if (spooled.size() == SPOOLED_AT_ONCE) {
        break;
      }
    }
    if (spooled.isEmpty()) {
      return;
    }
    for (IntervalUsage usage : spooled) {
      intervals.closed(ReportIdentity.of(usage.report()));
    }
    intervals.force();
    for (IntervalUsage usage : spooled) {
      closed.remove();
      notSpooled.decrementAndGet();
      receipts.ask(usage, ReportParts.of(usage.report()));
    }
  }

  private void spool(IntervalUsage usage, long nowMs) throws IOException {
    List<UsageReport> parts = ReportParts.of(usage.report());
    if (parts.size() > 1) {
      // If the process ends between two parts, the next start makes the other parts. It must split
      // the same lines.
      intervals.force();
    }
    for (UsageReport part : parts) {
      receipts.spool(usage, part, signer, nowMs);
    }
  }

  /// Returns the number of reports that the bridge has not acknowledged, on disk or on the way to
  /// the disk. Any thread may call this.
  public int pending() {
    return spool.pending() + notSpooled.get();
  }

  /// Returns true if a report could be sent to the bridge now; any thread may call this.
  boolean isDeliverable() {
    return spool.hasSendable() || notSpooled.get() > 0;
  }

  /// Returns true if no new session may begin; any thread may call this.
  public boolean isFull() {
    return spool.isFull();
  }

  /// Returns the number of disk errors; any thread may call this.
  public LongAdder diskFailures() {
    return diskFailures;
  }
}
