package io.viaduct.snapt.reporting;

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
/// (durable) → log durably without it → bridge.
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
  private final Executor checkpointThread;
  private final LongAdder diskFailures = new LongAdder();
  private final AtomicInteger notSpooled = new AtomicInteger();
  private final AtomicBoolean failing = new AtomicBoolean();

  // From the checkpoint thread to the reporting thread.
  private final Queue<UsageReport> closed = new ConcurrentLinkedQueue<>();
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
      Executor checkpointThread) {
    this.spool = spool;
    this.intervals = intervals;
    this.signer = signer;
    this.sender = sender;
    this.checkpointThread = checkpointThread;
  }

  /// What has changed in open intervals; any thread.
  ///
  /// @param taken run when the log has it: the caller's next changes are welcome
  public void progress(List<UsageReport> changes, Runnable taken) {
    checkpointThread.execute(() -> {
      append(changes);
      taken.run();
    });
  }

  /// An interval has ended: its report is complete; any thread.
  ///
  /// @param settle run when it is time to [#settle]
  public void close(UsageReport report, Runnable settle) {
    notSpooled.incrementAndGet();
    checkpointThread.execute(() -> {
      append(List.of(report));
      closed.add(report);
      settle.run();
    });
  }

  private void append(List<UsageReport> changes) {
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
        spoolClosed();
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

  private void spoolClosed() throws IOException {
    List<ReportIdentity> spooled = new ArrayList<>();
    for (UsageReport report : closed) {
      spool(ReportParts.of(report));
      spooled.add(ReportIdentity.of(report));
      if (spooled.size() == SPOOLED_AT_ONCE) {
        break;
      }
    }
    if (spooled.isEmpty()) {
      return;
    }
    for (ReportIdentity identity : spooled) {
      intervals.closed(identity);
    }
    intervals.force();
    for (int i = 0; i < spooled.size(); i++) {
      closed.remove();
      notSpooled.decrementAndGet();
    }
  }

  private void spool(List<UsageReport> parts) throws IOException {
    if (parts.size() > 1) {
      // A death between two parts leaves the rest to the next start, which must cut the same lines.
      intervals.force();
    }
    for (UsageReport part : parts) {
      spool.add(ReportIdentity.of(part), signer.sign(part));
    }
  }

  /// Reports that the bridge has not acknowledged, on disk or on their way to it; any thread.
  public int pending() {
    return spool.pending() + notSpooled.get();
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
