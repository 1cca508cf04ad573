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

/// The way of a report: event loop → checkpoint thread: [IntervalLog] → reporting thread: spool
/// (durable) → log durably without it → its device signs ([Receipts]) → bridge.
///
/// Event loops call [#progress] and [#close], which never block. The checkpoint thread only writes
/// into the page cache, so that what it takes is safe from the death of the process at once,
/// however long the reporting thread waits for the disk. Both queues are bounded: a loop gives its
/// next changes when the last ones are taken, and each session closes one report per interval.
public final class UsageReporting {
  private static final Logger log = LoggerFactory.getLogger(UsageReporting.class);
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

  // From the checkpoint thread to the reporting thread.
  private final Queue<IntervalUsage> closed = new ConcurrentLinkedQueue<>();
  // The reporting thread alone.
  private long forcedMs;

  /// The parts belong to this object from now on.
  ///
  /// @param checkpointThread one thread, which takes tasks in order; ended by who made it, before
  ///   the last [#settle]
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

  /// What has changed in open intervals; any thread.
  ///
  /// @param taken run when the log has it: the caller's next changes are welcome
  public void progress(List<IntervalUsage> changes, Runnable taken) {
    checkpointThread.execute(() -> {
      append(changes);
      taken.run();
    });
  }

  /// An interval has ended: its report is complete; any thread.
  ///
  /// @param settle run when it is time to [#settle]
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
      log.error("usage stays in memory until the disk can be written again", why);
    }
  }

  /// Moves closed reports to the spool and out of the log, makes both durable, and offers what is
  /// durable to the bridge. The reporting thread calls it twice a second, when an interval has
  /// ended and after each answer. A disk that refuses is logged and tried again at the next call;
  /// nothing is forgotten meanwhile, and nothing is offered.
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
      // A death between two parts leaves the rest to the next start, which must cut the same lines.
      intervals.force();
    }
    for (UsageReport part : parts) {
      receipts.spool(usage, part, signer, nowMs);
    }
  }

  /// Reports that the bridge has not acknowledged, on disk or on their way to it; any thread.
  public int pending() {
    return spool.pending() + notSpooled.get();
  }

  /// Whether a report is on its way that the bridge could take now; any thread.
  boolean deliverable() {
    return spool.hasSendable() || notSpooled.get() > 0;
  }

  /// Whether no new session may begin; any thread.
  public boolean full() {
    return spool.full();
  }

  /// How often the disk refused; any thread.
  public LongAdder diskFailures() {
    return diskFailures;
  }
}
