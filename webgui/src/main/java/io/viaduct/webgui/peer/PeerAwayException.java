package io.viaduct.webgui.peer;

/// A service behind the pages did not give a usable answer; asking again later may help.
public final class PeerAwayException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Reason for the lack of a usable answer.
  public enum Reason {
    /// No connection, or it broke.
    UNREACHABLE,
    /// Connected, and silent for longer than `limits.peer-timeout`.
    TIMEOUT,
    /// The peer reported a failure of its own (5xx).
    FAILED,
    /// The peer refused our own credentials or address: `bridge.token-file`, a wrong `url`.
    MISCONFIGURED,
    /// Longer than `limits.answer-bytes`, not JSON, or not the agreed shape.
    UNREADABLE
  }

  private final PeerName peer;
  private final Reason reason;

  public PeerAwayException(PeerName peer, Reason reason, String detail) {
    super(peer + " " + reason + ": " + detail);
    this.peer = peer;
    this.reason = reason;
  }

  public PeerName peer() {
    return peer;
  }

  public Reason reason() {
    return reason;
  }
}
