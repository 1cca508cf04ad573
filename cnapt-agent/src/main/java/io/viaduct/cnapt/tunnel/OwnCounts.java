package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.receipts.SessionCounts;
import io.viaduct.cnapt.usage.UsageTap;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.TunnelSession;
import org.jspecify.annotations.Nullable;

/// This host's own counts of one session: for the receipts that it signs, and for its own reports.
/// Owner: the data path's event loop.
final class OwnCounts {
  /// Counts nothing: of an end without a session, or of a session that is not charged.
  static final OwnCounts NONE = new OwnCounts(null, null, UsageTap.NONE);

  private final @Nullable SessionCounter counter;
  private final @Nullable UsageMeter usage;
  private final UsageTap reports;

  private OwnCounts(
      @Nullable SessionCounter counter, @Nullable UsageMeter usage, UsageTap reports) {
    this.counter = counter;
    this.usage = usage;
    this.reports = reports;
  }

  /// Starts to count a session that has begun.
  static OwnCounts of(TunnelSession begun, SessionParameters parameters, DataLoop at) {
    SessionCounts counts = parameters.counts();
    if (counts == null) {
      return NONE;
    }
    SessionCounter counter = new SessionCounter(begun, counts, at.nowNs());
    UsageTap tap = counts.tap();
    if (tap == UsageTap.NONE) {
      return new OwnCounts(counter, null, tap);
    }
    UsageMeter usage = new UsageMeter(begun, parameters.peers(), at.nowNs());
    tap.open(at.loop(), () -> usage.take(at.nowNs()));
    return new OwnCounts(counter, usage, tap);
  }

  /// Updates the counts after a batch.
  void note(long nowNs) {
    if (counter != null) {
      counter.note(nowNs);
    }
  }

  /// Adds a flow that has ended.
  void ended(FlowState flow, long nowNs) {
    if (usage != null) {
      usage.ended(flow, nowNs);
    }
  }

  /// Ends the reports, because the session is over.
  void close() {
    reports.close();
  }
}
