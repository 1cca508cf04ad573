package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.snapts.SnaptFacts;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.tunnel.flow.FlowState;

/// State of the SNAPT of an end, beside the measurements of its session: it answers or is silent, it
/// is to be left or not, and what lists tell of it. Decides where new flows go. The data path's
/// event loop writes it; any thread may read what says so.
///
///     carrying ─told, seeks─▶ leaving ─last flow over─▶ emptied
///        │ ▲                     │ ▲
///        ▼ └──────answer─────────▼ │
///              silent ─────────────┘
final class EndState {
  /// Time for the first answer after a change: some tries on a slow path.
  private static final long EXPECTED_NS = 1_000_000_000L;

  // A flow that nothing has answered: a connection sends few packets until then, and a stream that
  // began this long before the silence was noticed has reached its host.
  private static final int KNOWN_PACKETS = 8;
  private static final int KNOWN_ROUND_TRIPS = 4;
  private static final long KNOWN_NS_MIN = 500_000_000L;

  private volatile boolean leaving; // drains or unwanted
  private volatile boolean silent;
  private volatile boolean suspected; // its control connection is lost, and it is asked
  private volatile boolean emptied; // is leaving without a flow
  private volatile boolean hasFlows; // after each batch
  private long silentNs; // beginning of the last silence
  private boolean isFresh; // nothing has come since the beginning of the session
  private boolean drains; // as the SNAPT says
  private boolean unwanted; // a better SNAPT is free
  private double load;
  private long expectedNs; // until then an answer is expected, and silence means nothing
  private SnaptTerms terms = SnaptTerms.UNKNOWN;

  /// Records the beginning of a session.
  void began(long nowNs) {
    stays();
    silent = false;
    suspected = false;
    isFresh = true;
    expect(nowNs);
  }

  /// Records that the SNAPT is not left any more, or has been.
  void stays() {
    drains = false;
    unwanted = false;
    leaving = false;
    emptied = false;
    load = 0;
  }

  /// Records a change after which an answer is awaited.
  void expect(long nowNs) {
    expectedNs = nowNs + EXPECTED_NS;
  }

  /// Takes what the SNAPT tells about itself. @param share its load, 0 to 1
  void told(boolean draining, double share) {
    drains = draining;
    load = share;
    leave();
  }

  /// Records that a better SNAPT is sought, or no more.
  void seeks(boolean another) {
    unwanted = another;
    leave();
  }

  private void leave() {
    leaving = drains || unwanted;
    emptied = false; // another SNAPT may have become free
  }

  /// Takes what a list says about the SNAPT.
  void terms(SnaptTerms told) {
    terms = told;
  }

  /// Records whether flows are open.
  ///
  /// @return true if the SNAPT is to be left, and its last flow has just ended
  boolean hasNow(int flows) {
    boolean now = flows > 0;
    if (now != hasFlows) {
      hasFlows = now;
    }
    if (!leaving || emptied || now) {
      return false;
    }
    emptied = true;
    return true;
  }

  /// Records that there is no session.
  void hasNone() {
    hasFlows = false;
  }

  /// Records a flow that has opened.
  void opened() {
    if (emptied) {
      emptied = false;
    }
  }

  /// Records whether anything comes from the SNAPT.
  ///
  /// @param isAsked whether it is asked because its control connection is lost
  void hears(boolean nothing, boolean isAsked, long nowNs) {
    suspected = isAsked;
    isFresh &= nothing;
    if (nothing && !silent) {
      silentNs = nowNs;
    }
    silent = nothing;
  }

  /// Returns whether the SNAPT is to be left and has no flow any more. Any thread may call this.
  boolean isEmptied() {
    return emptied;
  }

  /// Returns whether the SNAPT says that it drains.
  boolean isDraining() {
    return drains;
  }

  /// Returns whether a first answer is awaited, so that silence means nothing.
  boolean isExpected(long nowNs) {
    return nowNs < expectedNs;
  }

  /// Returns whether flows are open. Any thread may call this.
  boolean hasFlows() {
    return hasFlows;
  }

  /// Returns whether the SNAPT is to be left. Any thread may call this.
  boolean isLeaving() {
    return leaving;
  }

  /// Returns whether nothing comes from the SNAPT. Any thread may call this.
  boolean isSilent() {
    return silent;
  }

  /// Returns whether the SNAPT is asked whether it is there. Any thread may call this.
  boolean isSuspected() {
    return suspected;
  }

  /// Returns whether flows are open, and datagrams come from the SNAPT. Any thread may call this.
  boolean carriesFlows() {
    return hasFlows && !silent;
  }

  /// Returns the state for the choice of a new flow, of an end with a session.
  ///
  /// @param silentNow whether its paths are silent
  SnaptFacts.State now(boolean silentNow, long nowNs) {
    if (silentNow) {
      return isFresh && isExpected(nowNs) ? SnaptFacts.State.BEGINNING : SnaptFacts.State.SILENT;
    }
    return leaving ? SnaptFacts.State.LEAVING : SnaptFacts.State.CARRYING;
  }

  SnaptTerms terms() {
    return terms;
  }

  double load() {
    return load;
  }

  /// Returns whether flows that belong together stay here: the SNAPT does not drain, and answers,
  /// or its first answer is awaited. That another one is better separates no flows.
  boolean keepsTies(boolean silentNow, long nowNs) {
    return !drains && (!silentNow || isExpected(nowNs));
  }

  /// Returns whether the remote host of a flow that it has not answered knows it by the SNAPT's
  /// address, at a SNAPT that is silent: the flow has sent several packets, and began some round
  /// trips before the silence.
  boolean isKnownThere(FlowState flow, double roundTripMs) {
    double leastMs = KNOWN_ROUND_TRIPS * (Double.isNaN(roundTripMs) ? 0 : roundTripMs);
    return flow.sent().packets() > KNOWN_PACKETS
        && silentNs - flow.openedNs() >= KNOWN_NS_MIN + (long) (leastMs * 1e6);
  }
}
