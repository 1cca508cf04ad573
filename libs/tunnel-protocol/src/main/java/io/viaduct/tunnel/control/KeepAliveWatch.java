package io.viaduct.tunnel.control;

/// Decides when an end of a control connection sends a KeepAlive.
///
/// A KeepAlive is sent only to a peer that has been silent for three periods, or for eighteen while
/// nothing is carried. If three KeepAlives bring no sign of life, the connection is dead. Any
/// message or datagram of the peer counts as a sign of life, so that an idle session costs next to
/// nothing. The owner calls [#ask] once per period.
public final class KeepAliveWatch {
  static final int SILENT_PERIODS = 3;
  static final int IDLE_PERIODS = 18;
  static final int UNANSWERED_MAX = 3;

  private final long periodMs;
  private int unanswered;

  /// Action that the owner shall take now.
  public enum Decision {
    REST,
    SEND,
    /// The peer does not answer: the owner ends the connection.
    LOST
  }

  /// Creates a watch.
  ///
  /// @param periodMs time between two calls of [#ask]
  public KeepAliveWatch(long periodMs) {
    this.periodMs = periodMs;
  }

  /// Decides once per period.
  ///
  /// @param silentMs time since the peer was last heard
  /// @param isIdle true if nothing has been carried since then, so that a dead peer harms nobody
  public Decision ask(long silentMs, boolean isIdle) {
    if (silentMs < (isIdle ? IDLE_PERIODS : SILENT_PERIODS) * periodMs) {
      unanswered = 0;
      return Decision.REST;
    }
    if (unanswered == UNANSWERED_MAX) {
      return Decision.LOST;
    }
    unanswered++;
    return Decision.SEND;
  }
}
