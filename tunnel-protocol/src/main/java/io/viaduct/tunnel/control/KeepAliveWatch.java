package io.viaduct.tunnel.control;

/// When an end of a control connection sends a KeepAlive: only to a peer that has been silent for
/// three periods. Three of them without any sign of life in answer, and the connection is dead.
/// Whatever proves that the peer lives counts, so that an idle session costs next to nothing.
///
/// The owner asks once per period.
public final class KeepAliveWatch {
  static final int SILENT_PERIODS = 3;
  static final int UNANSWERED_MAX = 3;

  private final long silentMsMax;
  private int unanswered;

  /// What the owner shall do now.
  public enum Decision {
    REST,
    SEND,
    /// The peer does not answer: the connection is to be ended.
    LOST
  }

  /// @param periodMs between two questions
  public KeepAliveWatch(long periodMs) {
    silentMsMax = SILENT_PERIODS * periodMs;
  }

  /// One period later.
  ///
  /// @param silentMs since the peer was heard last
  public Decision ask(long silentMs) {
    if (silentMs < silentMsMax) {
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
