package io.viaduct.webgui.peer;

/// The peer understood the request and refused it (4xx other than 401); the detail is the peer's
/// own sentence (RFC 9457 `detail`) and fit to be shown to the visitor.
public final class PeerRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String detail;

  public PeerRefusedException(int status, String detail) {
    super(status + " " + detail);
    this.status = status;
    this.detail = detail;
  }

  /// HTTP status of the refusal.
  public int status() {
    return status;
  }

  public String detail() {
    return detail;
  }
}
