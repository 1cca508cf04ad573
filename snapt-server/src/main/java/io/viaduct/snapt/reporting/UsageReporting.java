package io.viaduct.snapt.reporting;

import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The way of a report: event loop → [#close] → spool (durable) → checkpoint without it → bridge.
///
/// Event loops call [#progress] and [#close], which never block; everything else belongs to the
/// reporting thread. Both collections are bounded by the sessions: each has one open interval, and
/// closes one per interval.
public final class UsageReporting {
  private static final Logger log = LoggerFactory.getLogger(UsageReporting.class);

  private final ReportSpool spool;
  private final Checkpoint checkpoint;
  private final ReportSigner signer;
  private final ReportSender sender;
  private final LongAdder diskFailures = new LongAdder();

  private final Queue<UsageReport> closed = new ConcurrentLinkedQueue<>();
  private final Map<UUID, UsageReport> open = new ConcurrentHashMap<>();
  // The reporting thread alone: the interval that a session closed last.
  private final Map<UUID, Long> lastClosed = new HashMap<>();

  /// The parts belong to this object from now on.
  public UsageReporting(
      ReportSpool spool, Checkpoint checkpoint, ReportSigner signer, ReportSender sender) {
    this.spool = spool;
    this.checkpoint = checkpoint;
    this.signer = signer;
    this.sender = sender;
  }

  /// What a session's open interval has come to; any thread.
  public void progress(UsageReport soFar) {
    open.put(UUID.fromString(soFar.getSessionId()), soFar);
  }

  /// An interval has ended: its report is complete; any thread.
  public void close(UsageReport report) {
    closed.add(report);
    open.remove(UUID.fromString(report.getSessionId()));
  }

  /// Moves closed reports to the disk, renews the checkpoint, and offers what is durable to the
  /// bridge. Called twice a second and when an interval has ended. A disk that refuses is logged
  /// and tried again at the next call; nothing is forgotten meanwhile.
  public void settle(long nowMs) {
    try {
      spoolClosed();
      checkpoint.write(stillOpen());
      sender.pump(nowMs);
    } catch (IOException e) {
      diskFailures.increment();
      log.error("reports stay in memory until the spool can be written again", e);
    }
  }

  private void spoolClosed() throws IOException {
    for (UsageReport report = closed.peek(); report != null; report = closed.peek()) {
      ReportIdentity identity = ReportIdentity.of(report);
      spool.add(identity, signer.sign(report));
      lastClosed.put(identity.session(), identity.sequence());
      closed.remove();
    }
  }

  // A session may have closed an interval between our two looks at it: its report is in the spool,
  // and must not stay in the checkpoint as well.
  private List<UsageReport> stillOpen() {
    List<UsageReport> reports = new ArrayList<>();
    for (Map.Entry<UUID, UsageReport> entry : open.entrySet()) {
      Long last = lastClosed.get(entry.getKey());
      if (last == null || entry.getValue().getSequence() > last) {
        reports.add(entry.getValue());
      }
    }
    lastClosed.keySet().retainAll(open.keySet());
    return reports;
  }

  /// Reports that the bridge has not acknowledged, on disk or on their way to it; any thread.
  public int pending() {
    return spool.pending() + closed.size();
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
